import { isJsonObject, type JsonObject } from '../shared/json.js';
import { faultBody } from './fault-error.js';
import type { NextAnswer } from './next-answer.js';
import { responseHead, toResponse } from './responses-wire.js';

type Kept = { readyAt: number; running: JsonObject; ended: JsonObject };

/**
 * The responses that run in the background: a reply is in progress for its `delayMs`; a fault of the middle, with
 * `afterChars`, ends it as failed.
 */
export function backgroundResponses(cancelled: string[]) {
  const kept = new Map<string, Kept>();

  return {
    /** Undefined for an answer that the request itself gets, such as an error status. */
    create(model: string, answer: NextAnswer): JsonObject | undefined {
      if (answer.type === 'raw' || (answer.type === 'fault' && answer.afterChars === undefined))
        return undefined;
      const id = `resp_${kept.size + 1}`;
      const ended =
        answer.type === 'reply'
          ? toResponse(answer, model, id)
          : { ...responseHead(model, id, 'failed'), error: innerOf(faultBody(answer)) };
      const running = responseHead(model, id, 'in_progress');
      kept.set(id, { readyAt: Date.now() + (answer.delayMs ?? 0), running, ended });
      return { ...running, status: 'queued' };
    },
    get(id: string): JsonObject | undefined {
      const found = kept.get(id);
      return found && (Date.now() >= found.readyAt ? found.ended : found.running);
    },
    cancel(id: string): JsonObject | undefined {
      const found = kept.get(id);
      if (!found) return undefined;
      cancelled.push(id);
      const ended = { ...found.running, status: 'cancelled' };
      kept.set(id, { ...found, readyAt: 0, ended });
      return ended;
    },
  };
}

function innerOf(body: ReturnType<typeof faultBody>): JsonObject {
  const inner = isJsonObject(body) ? body['error'] : undefined;
  return isJsonObject(inner) ? inner : { message: String(body) };
}
