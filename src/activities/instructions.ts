import type { Agent } from '../define/define-agent.js';
import { UnusableFile } from '../define/instruction-files.js';
import type { CallModelInput } from '../shared/activities.js';
import { type Message, textOf } from '../shared/messages.js';
import { ModelError } from '../shared/model-port.js';
import { errorText } from '../shared/wire-text.js';

/** They are recorded in one payload, beside the reply. */
const MAX_BYTES = 500_000;
/** The turn stands still meanwhile. */
const TIMEOUT_MS = 60_000;
const MAX_TIMEOUTS = 3;

/** `recorded`: they were worked out for this turn, which is to keep them. */
export type Instructions = { text: string; recorded?: true };

/**
 * What the model is told before the conversation. What the transcript begins with goes before the agent's own. A
 * function of the agent's is asked until a first model call has answered, and then never again in this turn. Throws a
 * ModelError where it fails or takes too long, and the signal's reason once that fires.
 */
export async function instructionsFor(
  { name, instructions }: Agent,
  { turnId, metadata = {} }: CallModelInput,
  messages: readonly Message[],
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Instructions> {
  if (messages.some((message) => message.role === 'system')) return { text: '' };
  if (typeof instructions === 'string') return { text: instructions };
  const last = messages.findLast((message) => message.role === 'user');
  const prompt = last ? textOf(last) : '';
  const text: unknown = await asked(name, { signal, timeoutMs }, (until) =>
    instructions({ prompt, turnId, metadata, signal: until }),
  );
  if (typeof text !== 'string') throw refused(name, `they are no text but ${typeof text}`);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) throw refused(name, `they take ${bytes} bytes, and may take ${MAX_BYTES}`);
  return { text, recorded: true };
}

async function asked(
  name: string,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ask: (until: AbortSignal) => unknown,
): Promise<unknown> {
  const stop = new AbortController();
  const late = failure(name, `they were not there within ${timeoutMs / 1000} s`, {
    maxAttempts: MAX_TIMEOUTS,
  });
  const timer = setTimeout(() => stop.abort(late), timeoutMs);
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  try {
    signal.throwIfAborted();
    // One that has no end must not hold the turn, nor its interrupt.
    return await Promise.race([stopped, Promise.resolve(stop.signal).then(ask)]);
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    if (signal.aborted) throw error;
    throw failure(name, errorText(error), { retryable: !(error instanceof UnusableFile) });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function refused(name: string, why: string): ModelError {
  return failure(name, why, { retryable: false });
}

function failure(name: string, why: string, how: { retryable?: boolean; maxAttempts?: number }): ModelError {
  const text = `The instructions of the agent "${name}" could not be made: ${why}`;
  return new ModelError('Agent.InstructionsFailed', text, { retryable: true, ...how });
}
