import type { OpenAI } from 'openai';
import type { ModelContext } from '../../shared/model-port.js';
import { answerEvents } from './answer-events.js';
import { classifyError } from './classify-error.js';
import { type Access, openAiClient } from './openai-client.js';
import type { OpenAiOptions } from './options.js';
import { type ReplyAccumulator, readReply } from './read-reply.js';
import { wireTimer } from './wire-timer.js';

const FIRST_TOKEN_TIMEOUT_MS = 120_000;
const IDLE_TIMEOUT_MS = 60_000;

export type Exchange<Reply> = {
  access: Access;
  options: Pick<OpenAiOptions, 'firstTokenTimeoutMs' | 'idleTimeoutMs'>;
  send(client: OpenAI, signal: AbortSignal): Promise<Response>;
  /** Is given the reply's events; a body of JSON counts as one event. */
  reply: ReplyAccumulator<Reply>;
};

/**
 * One request and its answer, within the timeouts; retries nothing. Throws a ModelError, or the signal's reason as
 * soon as it fires.
 */
export async function exchange<Reply>(
  { signal }: Pick<ModelContext, 'signal'>,
  { access, options, send, reply }: Exchange<Reply>,
): Promise<Reply> {
  const { firstTokenTimeoutMs = FIRST_TOKEN_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  const timer = wireTimer(signal);
  const waitForMore = () => timer.waitFor('Nothing more of the reply came', idleTimeoutMs);
  let begun = false;
  let cameAny = false;
  let readToEnd = false;
  try {
    timer.waitFor('No reply began', firstTokenTimeoutMs);
    const client = await openAiClient(access);
    const response = await send(client, timer.signal);
    const events = answerEvents(response, {
      onBytes: () => begun && waitForMore(),
      onEnd() {
        readToEnd = true;
      },
    });
    const read = await readReply(events, reply, (finished) => {
      begun = !finished;
      cameAny = true;
      if (finished) timer.waitNoMore();
      else waitForMore();
    });
    signal.throwIfAborted();
    return read;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const failure = timer.problem() ?? classifyError(error, access.apiKey);
    failure.usage ??= reply.usage?.() ?? (cameAny ? 'unknown' : undefined);
    throw failure;
  } finally {
    timer.stop(readToEnd);
  }
}
