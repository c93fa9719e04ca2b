import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { ModelPart } from '../../shared/model-port.js';
import type { Usage } from '../../shared/usage.js';
import { providerError } from '../openai/classify-error.js';
import { modelFailure } from '../openai/model-failure.js';
import type { ReplyAccumulator } from '../openai/read-reply.js';
import { announcesCalls, faultOfFinish, toStopReason } from '../openai/stop-reason.js';
import { countsOf } from '../openai/usage.js';
import { reasoningAccumulator } from './chat-reasoning.js';
import { toolCallFragments } from './tool-call-fragments.js';

/** A reply of Chat Completions, from the chunks of a stream or from one whole body. */
export function chatReply(origin: string, onText: (text: string) => void): ReplyAccumulator {
  const calls = toolCallFragments(origin);
  const reasoning = reasoningAccumulator(origin);
  let text = '';
  let finish: string | null = null;
  let finished = false;
  let refused = false;
  let begun = false;
  let usage: Usage | undefined;
  let model = '';

  function addText(piece: string): void {
    if (piece === '') return;
    text += piece;
    onText(piece);
  }

  function addDelta(delta: JsonObject): void {
    begun ||= saysAnything(delta);
    reasoning.add(delta);
    addText(plainText(delta['content']));
    const refusal = plainText(delta['refusal']);
    refused ||= refusal !== '';
    addText(refusal);
    // Portkey's gateway sends Cohere's as they are, one for itself and not in a list.
    for (const fragment of [delta['tool_calls'] ?? []].flat()) calls.add(fragment);
    // The form before there were several calls in one reply.
    if (isJsonObject(delta['function_call'])) calls.add({ index: 0, function: delta['function_call'] });
  }

  function addChoice(choice: JsonObject): void {
    if (choice['error']) throw providerError(undefined, choice);
    const delta = choice['delta'] ?? choice['message'];
    if (isJsonObject(delta)) addDelta(delta);
    const reason = choice['finish_reason'];
    if (typeof reason !== 'string' || reason === '') return;
    finish = reason;
    finished = true;
  }

  return {
    add(chunk: Json): void {
      if (!isJsonObject(chunk)) return;
      if (chunk['error']) throw providerError(undefined, chunk);
      if (typeof chunk['model'] === 'string') model = chunk['model'];
      usage = toUsage(chunk['usage']) ?? usage;
      const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
      if (isJsonObject(choice)) addChoice(choice);
    },
    finish(): void {
      finished = true;
    },
    isFinished: () => finished,
    phase: () => (begun ? 'saying' : 'beginning'),
    usage: () => usage,
    end(done: boolean) {
      // Without a finish reason, `[DONE]` is believed only where it can be seen that nothing is missing.
      if (!finished && !(done && calls.areWhole())) {
        throw modelFailure('Model.StreamCut', 'the stream ended without a finish reason');
      }
      const fault = faultOfFinish(finish);
      if (fault !== undefined) throw modelFailure(fault, `the finish reason is "${finish}"`);
      const parts = calls.parts();
      const said: ModelPart[] = text === '' ? [] : [{ type: 'text', text }];
      const content = [...reasoning.parts(), ...said, ...parts];
      const stopReason = refused ? 'refusal' : toStopReason(finish, parts.length > 0);
      const lacksCalls = parts.length === 0 && !refused && announcesCalls(finish);
      return {
        ...{ content, stopReason },
        ...(usage && { usage }),
        ...(model !== '' && { model }),
        ...(lacksCalls && { lacksCalls }),
      };
    },
  };
}

/** Many servers send the role at once, and what is said when the model has come to it. */
function saysAnything({ role: _role, ...delta }: JsonObject): boolean {
  return Object.values(delta).some((value) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
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
  return countsOf({
    inputTokens: value['prompt_tokens'],
    cachedInputTokens: isJsonObject(inputDetails)
      ? inputDetails['cached_tokens']
      : value['prompt_cache_hit_tokens'],
    outputTokens: value['completion_tokens'],
    reasoningTokens: isJsonObject(outputDetails) ? outputDetails['reasoning_tokens'] : undefined,
  });
}
