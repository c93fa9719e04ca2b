import { APIError } from 'openai/core/error';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { ModelPart, ModelResponse } from '../../shared/model-port.js';
import type { Usage } from '../../shared/turn.js';
import { innerError, isNetworkError } from '../openai/classify-error.js';
import { modelFailure } from '../openai/model-failure.js';
import type { StreamEvent } from '../openai/server-sent-events.js';
import { toStopReason } from '../openai/stop-reason.js';
import { toolCallFragments } from './tool-call-fragments.js';

/** How long the usage frame may come after the finish reason, and the connection's end after `[DONE]`. */
const AFTER_FINISH_MS = 5_000;
const AFTER_DONE_MS = 250;

export type StreamListener = {
  onText(text: string): void;
  /** With each event; `finished` once the reply has its ending, after which nothing needs to be waited for. */
  onEvent(finished: boolean): void;
};

/**
 * Reads one reply. Throws `Model.StreamCut` for a stream that ends without a finish reason, whatever came of it,
 * and an APIError for an error in the middle; it passes on what the events throw.
 */
export async function readStream(
  events: AsyncIterable<StreamEvent>,
  listener: StreamListener,
): Promise<Omit<ModelResponse, 'model'> & { model?: string }> {
  const reply = replyAccumulator(listener.onText);
  const iterator = events[Symbol.asyncIterator]();
  let done = false;
  for (;;) {
    const event = await nextEvent(iterator, reply.isFinished(), done);
    if (event === undefined) break;
    if (event.type === 'end') {
      reply.finish();
      break;
    }
    if (event.type === 'done') done = true;
    else reply.add(event.value);
    listener.onEvent(done || reply.isFinished());
  }
  return reply.end(done);
}

/** Undefined at the end. A finished reply is not lost by a connection that stays open or breaks after it. */
async function nextEvent(
  iterator: AsyncIterator<StreamEvent>,
  finished: boolean,
  done: boolean,
): Promise<StreamEvent | undefined> {
  const next = iterator.next().then(
    (result) => (result.done ? undefined : result.value),
    (error: unknown) => {
      if (!isNetworkError(error)) throw error;
      if (finished || done) return undefined;
      throw modelFailure('Model.StreamCut', error instanceof Error ? error.message : String(error));
    },
  );
  if (!finished && !done) return await next;
  next.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, done ? AFTER_DONE_MS : AFTER_FINISH_MS, undefined);
  });
  return await Promise.race([next, late]).finally(() => clearTimeout(timer));
}

function replyAccumulator(onText: (text: string) => void) {
  const calls = toolCallFragments();
  const said = { text: '', reasoning: '', reasoningField: '' };
  let finish: string | null = null;
  let finished = false;
  let refused = false;
  let usage: Usage | undefined;
  let model = '';

  function addText(text: string): void {
    if (text === '') return;
    said.text += text;
    onText(text);
  }

  function addDelta(delta: JsonObject): void {
    for (const field of ['reasoning_content', 'reasoning']) {
      const thought = plainText(delta[field]);
      if (thought === '') continue;
      said.reasoningField ||= field;
      // Some gateways send the same thought in both fields.
      if (said.reasoningField === field) said.reasoning += thought;
    }
    addText(plainText(delta['content']));
    const refusal = plainText(delta['refusal']);
    refused ||= refusal !== '';
    addText(refusal);
    const fragments = delta['tool_calls'];
    if (Array.isArray(fragments)) for (const fragment of fragments) calls.add(fragment);
  }

  return {
    add(chunk: Json): void {
      if (!isJsonObject(chunk)) return;
      if (chunk['error']) throw new APIError(undefined, innerError(chunk), undefined, undefined);
      if (typeof chunk['model'] === 'string') model = chunk['model'];
      usage = toUsage(chunk['usage']) ?? usage;
      const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
      if (!isJsonObject(choice)) return;
      const delta = choice['delta'] ?? choice['message'];
      if (isJsonObject(delta)) addDelta(delta);
      const reason = choice['finish_reason'];
      if (typeof reason !== 'string' || reason === '') return;
      finish = reason;
      finished = true;
    },
    finish(): void {
      finished = true;
    },
    isFinished: () => finished,
    end(done: boolean) {
      // Without a finish reason, `[DONE]` is believed only where it can be seen that nothing is missing.
      if (!finished && !(done && calls.areWhole())) {
        throw modelFailure('Model.StreamCut', 'the stream ended without a finish reason');
      }
      const parts = calls.parts();
      const content: ModelPart[] = [...reasoningParts(said), ...textParts(said.text), ...parts];
      const stopReason = refused ? 'refusal' : toStopReason(finish, parts.length > 0);
      return { content, stopReason, ...(usage && { usage }), ...(model !== '' && { model }) };
    },
  };
}

/** `opaque` is the field to send it back in, where that is not `reasoning_content`. */
function reasoningParts(said: { reasoning: string; reasoningField: string }): ModelPart[] {
  if (said.reasoning === '') return [];
  const opaque = said.reasoningField === 'reasoning_content' ? {} : { opaque: said.reasoningField };
  return [{ type: 'reasoning', text: said.reasoning, ...opaque }];
}

function textParts(text: string): ModelPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** A text, or a list of text parts as some gateways send it. */
function plainText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((part) => (isJsonObject(part) ? plainText(part['text']) : '')).join('');
}

function toUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputDetails = value['prompt_tokens_details'];
  const outputDetails = value['completion_tokens_details'];
  const counts = {
    inputTokens: value['prompt_tokens'],
    cachedInputTokens: isJsonObject(inputDetails)
      ? inputDetails['cached_tokens']
      : value['prompt_cache_hit_tokens'],
    outputTokens: value['completion_tokens'],
    reasoningTokens: isJsonObject(outputDetails) ? outputDetails['reasoning_tokens'] : undefined,
  };
  const told = Object.entries(counts).filter(([, count]) => Number.isFinite(count));
  return told.length === 0 ? undefined : (Object.fromEntries(told) as Usage);
}
