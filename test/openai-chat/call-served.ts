import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import type { Message } from '../../src/shared/messages.js';
import { ModelError, type ModelRequest, type ModelResponse } from '../../src/shared/model-port.js';
import { type Script, serveScriptedModel } from '../../src/testing/index.js';

export const question: Message = {
  role: 'user',
  id: 'm0',
  content: [{ type: 'text', id: 'm0.0', text: 'Where is W1?' }],
};

export function requestOf(messages: readonly Message[] = [question]): ModelRequest {
  return { model: 'scripted', instructions: 'Be brief.', messages, tools: [] };
}

export type Called = { response: ModelResponse; streamed: string };

/** One call of the real adapter to a real server that plays the script; the server is closed at its end. */
export async function callServed(script: Script, options: OpenAiOptions = {}, attempt = 1): Promise<Called> {
  const server = await serveScriptedModel(script);
  let streamed = '';
  try {
    const model = openai({ baseURL: server.url, ...options });
    const response = await model.call(requestOf(), {
      signal: new AbortController().signal,
      attempt,
      onText(text) {
        streamed += text;
      },
    });
    return { response, streamed };
  } finally {
    await server.close();
  }
}

/** The ModelError of a call that is to fail. */
export async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => new Error('It was to fail, and did not.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ModelError) return error;
  throw error;
}

export function delta(content: unknown, finish: string | null = null): unknown {
  return { choices: [{ index: 0, delta: content, finish_reason: finish }] };
}

export function callDelta(...fragments: unknown[]): unknown {
  return delta({ tool_calls: fragments });
}
