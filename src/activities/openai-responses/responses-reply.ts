import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { StopReason } from '../../shared/messages.js';
import type { Usage } from '../../shared/usage.js';
import { providerError } from '../openai/classify-error.js';
import { errorInReply } from '../openai/error-in-reply.js';
import { modelFailure } from '../openai/model-failure.js';
import type { ReplyAccumulator, ReplyPhase } from '../openai/read-reply.js';
import { toStopReason } from '../openai/stop-reason.js';
import { countsOf } from '../openai/usage.js';
import { isRefused, isWhole, partsOfItem } from './output-items.js';
import { outputSlots } from './output-slots.js';

/** The response object that ends a reply; without it nothing of the reply is used. */
type Ending = { status: string; response: JsonObject };

/** The events that carry the response object, and its status where the object doesn't tell it. */
const statusOf: Readonly<Record<string, string>> = {
  'response.created': 'in_progress',
  'response.completed': 'completed',
  'response.done': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
  'response.cancelled': 'cancelled',
};

/**
 * A reply of the Responses API, from the events of a stream or from one whole body. What counts are the items that the
 * ending lists, else those that were marked as done: a call that was only begun is never taken for whole. An error
 * after the ending changes nothing.
 */
export function responsesReply(origin: string, onText: (text: string) => void): ReplyAccumulator {
  const slots = outputSlots(onText);
  let ending: Ending | undefined;
  let phase: ReplyPhase = 'beginning';
  let model = '';
  let usage: Usage | undefined;

  function see(response: Json | undefined, status: string): void {
    if (!isJsonObject(response)) return;
    usage = toUsage(response['usage']) ?? usage;
    if (response['error']) throw providerError(undefined, response);
    if (typeof response['model'] === 'string') model = response['model'];
    const said = typeof response['status'] === 'string' ? response['status'] : status;
    if (said === 'failed') throw modelFailure('Model.Unavailable', 'the response failed');
    if (said === 'cancelled')
      throw modelFailure('Model.Unavailable', 'the response was cancelled at the provider');
    if (said !== 'completed' && said !== 'incomplete') return;
    const output = Array.isArray(response['output']) ? response['output'].filter(isJsonObject) : [];
    slots.showEnding(output);
    ending = { status: said, response };
  }

  return {
    add(event: Json): void {
      if (!isJsonObject(event)) return;
      const type = typeof event['type'] === 'string' ? event['type'] : '';
      const error = errorInReply(event) ?? (type === 'error' ? event : undefined);
      if (error !== undefined) throw providerError(undefined, error);
      if (Array.isArray(event['output'])) see(event, 'completed');
      else if (type in statusOf) see(event['response'], statusOf[type] ?? '');
      else {
        phase = phaseAfter(type, event, phase);
        slots.add(type, event);
      }
    },
    // A body that is no ending is a call which still runs.
    finish: () => undefined,
    phase: () => phase,
    isFinished: () => ending !== undefined,
    usage: () => usage,
    end() {
      if (ending === undefined)
        throw modelFailure('Model.StreamCut', 'the stream ended without its last event');
      const { status, response } = ending;
      const items = slots.items();
      const content = items.flatMap((item) => partsOfItem(item, origin));
      const hasCalls = content.some((part) => part.type === 'tool_call');
      return {
        content,
        stopReason: items.some(isRefused)
          ? 'refusal'
          : stopReason(status, response, hasCalls, items.every(isWhole)),
        ...(usage && { usage }),
        ...(model !== '' && { model }),
      };
    },
  };
}

/** From a reasoning item's beginning to its end nothing, or a summary now and then, is heard. */
function phaseAfter(type: string, { item }: JsonObject, before: ReplyPhase): ReplyPhase {
  if (type === 'response.output_item.added' && isJsonObject(item)) {
    return item['type'] === 'reasoning' ? 'thinking' : 'saying';
  }
  if (type === 'response.output_item.done') return 'saying';
  return before === 'beginning' && type.endsWith('.delta') ? 'saying' : before;
}

function stopReason(status: string, response: JsonObject, hasCalls: boolean, areWhole: boolean): StopReason {
  if (status === 'completed' && areWhole) return toStopReason(null, hasCalls);
  const details = response['incomplete_details'];
  const reason = isJsonObject(details) && typeof details['reason'] === 'string' ? details['reason'] : null;
  return toStopReason(reason, false) === 'refusal' ? 'refusal' : 'max_tokens';
}

function toUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputDetails = value['input_tokens_details'];
  const outputDetails = value['output_tokens_details'];
  return countsOf({
    inputTokens: value['input_tokens'],
    cachedInputTokens: isJsonObject(inputDetails) ? inputDetails['cached_tokens'] : undefined,
    outputTokens: value['output_tokens'],
    reasoningTokens: isJsonObject(outputDetails) ? outputDetails['reasoning_tokens'] : undefined,
  });
}
