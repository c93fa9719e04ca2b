import { z } from 'zod';
import { detailsOf } from '../../activities/openai/model-failure.js';
import { openai } from '../../activities/openai/openai.js';
import type { OpenAiOptions } from '../../activities/openai/options.js';
import { planReply } from '../../activities/plan.js';
import { defineTool } from '../../define/define-tool.js';
import type { PlannedCall } from '../../shared/activities.js';
import { type AssistantMessage, type Message, textContent, textOf } from '../../shared/messages.js';
import { ModelError, type ModelRequest, type ModelResponse } from '../../shared/model-port.js';
import { errorText } from '../../shared/wire-text.js';
import type { Endpoint } from './endpoint.js';
import { refusedWith } from './refusals.js';

/** The tool of the checks, with a product's way to check arguments; its body is never run. */
export const weather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city now.',
  input: z.object({ city: z.string() }),
  run: () => 'sunny',
});

/** What a request brought. `firstMs`: until the first piece of its text. */
export type Asked = {
  response: ModelResponse;
  message: AssistantMessage;
  calls: PlannedCall[];
  text: string;
  ms: number;
  pieces: number;
  firstMs: number | undefined;
};

/** In place of an answer: what went wrong, of a type of docs/errors.md, and what to do. */
export type Refused = { type: string; problem: string; advice?: string };

export function wasRefused(asked: Asked | Refused): asked is Refused {
  return 'problem' in asked;
}

export function userSays(text: string): Message {
  return { role: 'user', id: 'm0', content: textContent('m0', text) };
}

/** One request by the adapter that agents have; nothing is tried again. */
export async function ask(
  endpoint: Endpoint,
  messages: readonly Message[],
  more: Partial<ModelRequest> = {},
  options: OpenAiOptions = {},
): Promise<Asked | Refused> {
  const startedAt = performance.now();
  const model = openai({ ...endpoint.options, ...options });
  let pieces = 0;
  let firstMs: number | undefined;
  const onText = () => {
    pieces += 1;
    firstMs ??= Math.round(performance.now() - startedAt);
  };
  const signal = AbortSignal.timeout(endpoint.timeoutMs);
  const name = endpoint.model ?? '';
  const request = { model: name, instructions: 'Be brief.', messages, tools: [], ...more };
  try {
    const response = await model.call(request, { signal, attempt: 1, onText });
    const { message, calls } = await planReply(`m${messages.length}`, response, [weather], messages);
    const ms = Math.round(performance.now() - startedAt);
    return { response, message, calls, text: textOf(message), ms, pieces, firstMs };
  } catch (error) {
    if (error instanceof ModelError) return refusedWith(error.type, detailsOf(error));
    if (!signal.aborted) return { type: 'Model.Failed', problem: errorText(error) };
    return refusedWith('Model.Timeout', `No whole reply came within ${endpoint.timeoutMs / 1000} s.`);
  }
}
