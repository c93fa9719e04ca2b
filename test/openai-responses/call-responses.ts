import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import type { ModelContext, ModelRequest } from '../../src/shared/model-port.js';
import { type Script, serveScriptedModel } from '../../src/testing/index.js';
import { type Called, requestOf } from '../openai-chat/call-served.js';

/** One call of the Responses adapter to a real server that plays the script; the server is closed at its end. */
export async function callResponses(
  script: Script,
  options: OpenAiOptions = {},
  request: ModelRequest = requestOf(),
): Promise<Called> {
  const server = await serveScriptedModel(script);
  let streamed = '';
  try {
    const model = openai({ baseURL: server.url, api: 'responses', ...options });
    const onText = (text: string) => {
      streamed += text;
    };
    const response = await model.call(request, contextWith({ onText }));
    return { response, streamed };
  } finally {
    await server.close();
  }
}

export function contextWith(some: Partial<ModelContext> = {}): ModelContext {
  return { signal: new AbortController().signal, attempt: 1, onText: () => undefined, ...some };
}

/** The events of a stream, each under its name, as OpenAI sends them. */
export function namedEvents(...events: { type: string; [field: string]: unknown }[]): string[] {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

export const item = {
  text: (text: string) => ({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }),
  call: (name: string, written: string, status = 'completed') => ({
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name,
    arguments: written,
    status,
  }),
};

export function done(index: number, one: object) {
  return { type: 'response.output_item.done', output_index: index, item: one };
}

export function textDelta(index: number, delta: string) {
  return { type: 'response.output_text.delta', output_index: index, content_index: 0, delta };
}

export function ended(status: string, output: object[], more: object = {}) {
  return {
    type: `response.${status}`,
    response: { id: 'resp_1', object: 'response', model: 'm-1', status, output, ...more },
  };
}
