import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { Usage } from '../../shared/usage.js';
import { providerError } from '../openai/classify-error.js';
import { errorInReply } from '../openai/error-in-reply.js';
import { modelFailure } from '../openai/model-failure.js';
import type { ReplyAccumulator } from '../openai/read-reply.js';
import { announcesCalls, faultOfFinish, toStopReason } from '../openai/stop-reason.js';
import { countsOf } from '../openai/usage.js';
import { chatMessage } from './chat-message.js';

/**
 * A reply of Chat Completions, from the chunks of a stream or from one whole body. `several`: more than one choice was
 * asked for, of which it is that at 0. Else their places tell nothing: Portkey's gateway counts Cohere's parts there.
 */
export function chatReply(origin: string, onText: (text: string) => void, several = false): ReplyAccumulator {
  const message = chatMessage(origin, onText);
  let sawDelta = false;
  let finish: string | null = null;
  let finished = false;
  let usage: Usage | undefined;
  let model = '';

  function ours(choices: readonly Json[]): Json | undefined {
    if (!several) return choices[0];
    return choices.find((choice) => isJsonObject(choice) && (choice['index'] ?? 0) === 0);
  }

  function addChoice(choice: JsonObject): void {
    if (choice['error']) throw providerError(undefined, choice);
    const delta = choice['delta'];
    if (isJsonObject(delta) && message.add(delta)) sawDelta = true;
    const whole = choice['message'];
    if (isJsonObject(whole)) {
      if (sawDelta) message.complete(whole);
      else message.add(whole);
    }
    const reason = choice['finish_reason'];
    if (typeof reason !== 'string' || reason === '') return;
    finish = reason;
    finished = true;
  }

  return {
    add(chunk: Json): void {
      if (!isJsonObject(chunk)) return;
      const error = errorInReply(chunk);
      if (error !== undefined) throw providerError(undefined, error);
      if (typeof chunk['model'] === 'string') model = chunk['model'];
      usage = toUsage(chunk['usage']) ?? usage;
      const choice = Array.isArray(chunk['choices']) ? ours(chunk['choices']) : undefined;
      if (isJsonObject(choice)) addChoice(choice);
    },
    finish(): void {
      finished = true;
    },
    isFinished: () => finished,
    heard: message.heard,
    phase: () => (message.heard() > 0 ? 'saying' : 'beginning'),
    usage: () => usage,
    end(done: boolean) {
      // Without a finish reason, `[DONE]` is believed only where it can be seen that nothing is missing.
      if (!finished && !(done && message.hasWholeCalls())) {
        throw modelFailure('Model.StreamCut', 'the stream ended without a finish reason');
      }
      const fault = faultOfFinish(finish);
      if (fault !== undefined) throw modelFailure(fault, `the finish reason is "${finish}"`);
      const { content, hasCalls } = message.content();
      const refused = message.refused();
      const lacksCalls = !hasCalls && !refused && announcesCalls(finish);
      return {
        content,
        stopReason: refused ? 'refusal' : toStopReason(finish, hasCalls),
        ...(usage && { usage }),
        ...(model !== '' && { model }),
        ...(lacksCalls && { lacksCalls }),
      };
    },
  };
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
