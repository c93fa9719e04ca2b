import type { OpenAI } from 'openai';
import { APIError } from 'openai/core/error';
import type { ModelContext } from '../../shared/model-port.js';
import { answerEvents, type Sign } from './answer-events.js';
import { classifyError } from './classify-error.js';
import { type Access, openAiClient } from './openai-client.js';
import type { OpenAiOptions } from './options.js';
import { type ReplyAccumulator, type ReplyPhase, readReply } from './read-reply.js';
import { usageOfFailure } from './usage.js';
import { type WireTimer, wireTimer } from './wire-timer.js';

const FIRST_TOKEN_TIMEOUT_MS = 120_000;
const IDLE_TIMEOUT_MS = 60_000;
/** A token takes some 300 bytes of a stream. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

type ExchangeOptions = Pick<OpenAiOptions, 'firstTokenTimeoutMs' | 'idleTimeoutMs' | 'maxReplyBytes'>;

export type Exchange<Reply> = {
  access: Access;
  options: ExchangeOptions;
  send(client: OpenAI, signal: AbortSignal): Promise<Response>;
  /** Is given the reply's events; a body of JSON counts as one event. */
  reply: ReplyAccumulator<Reply>;
};

/** An answer by its status, whose text may have been too slow to be read. */
function isRefusal(error: unknown): boolean {
  return error instanceof APIError && error.headers !== undefined;
}

/**
 * One request and its answer, within the timeouts and `maxReplyBytes`; retries nothing. Throws a ModelError, or the
 * signal's reason as soon as it fires.
 */
export async function exchange<Reply>(
  { signal, onStage }: Pick<ModelContext, 'signal' | 'onStage'>,
  { access, options, send, reply }: Exchange<Reply>,
): Promise<Reply> {
  const timer = wireTimer(signal);
  const patience = patienceOf(timer, options);
  let headers: Headers | undefined;
  let cameAny = false;
  let readToEnd = false;
  try {
    const client = await openAiClient(access);
    onStage?.('sent');
    const response = await send(client, timer.signal);
    headers = response.headers;
    const events = answerEvents(response, {
      maxBytes: options.maxReplyBytes ?? MAX_REPLY_BYTES,
      onSign: patience.onSign,
      onEnd() {
        readToEnd = true;
      },
    });
    const read = await readReply(events, reply, (finished) => {
      cameAny = true;
      if (finished) timer.waitNoMore();
      else patience.onEvent(reply.phase());
    });
    signal.throwIfAborted();
    return read;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const late = isRefusal(error) ? undefined : timer.problem();
    const failure = late ?? classifyError(error, access.apiKey, headers);
    // Nothing of a reply was seen, perhaps, and the provider may be at it, or has been, all the same.
    const isCut = headers && ['Model.StreamCut', 'Model.Connection'].includes(failure.type);
    const hasBegun = cameAny || late !== undefined || isCut || error instanceof SyntaxError;
    failure.usage ??= usageOfFailure(reply.usage?.()) ?? (hasBegun ? 'unknown' : undefined);
    throw failure;
  } finally {
    timer.stop(readToEnd);
  }
}

/**
 * How long is waited for what comes next: before it says anything, and while it thinks, a model is silent. Keep-alive
 * comments say that the gateway is there, not that the model is: in the middle of what it says they are believed for
 * as long as a silence before it would be.
 */
function patienceOf(timer: WireTimer, options: ExchangeOptions) {
  const { firstTokenTimeoutMs = FIRST_TOKEN_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  const silenceMs = Math.max(firstTokenTimeoutMs, idleTimeoutMs);
  let phase: ReplyPhase = 'beginning';
  let saidAt = 0;

  function waitOn(ms: number): void {
    timer.waitFor('Nothing more of the reply came', ms);
  }

  function waitOnComments(): void {
    const ms = saidAt + silenceMs - performance.now();
    if (ms < idleTimeoutMs) timer.waitFor('Nothing but comments came', Math.max(0, ms), silenceMs);
    else waitOn(idleTimeoutMs);
  }

  timer.waitFor('No reply began', firstTokenTimeoutMs);
  return {
    onSign(sign: Sign): void {
      if (sign === 'body') waitOn(silenceMs);
      else if (phase === 'thinking') waitOn(silenceMs);
      else if (phase === 'saying' && sign === 'event') waitOn(idleTimeoutMs);
      else if (phase === 'saying') waitOnComments();
    },
    onEvent(now: ReplyPhase): void {
      phase = now;
      saidAt = performance.now();
      if (phase !== 'beginning') waitOn(phase === 'thinking' ? silenceMs : idleTimeoutMs);
    },
  };
}
