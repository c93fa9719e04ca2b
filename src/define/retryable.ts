import { type Duration, durationMs } from '../shared/duration.js';
import { errorText } from '../shared/wire-text.js';

/** What to throw from a tool so that Temporal starts it again, `after` a while, instead of telling the model. */
export class RetryableToolError extends Error {
  /** An agent's module may load another copy of this class than the worker that serves it. */
  static override [Symbol.hasInstance](thrown: unknown): boolean {
    return thrown instanceof Error && thrown.name === 'RetryableToolError';
  }

  override readonly name = 'RetryableToolError';
  readonly afterMs: number | undefined;

  constructor(cause: unknown, afterMs: number | undefined) {
    super(errorText(cause), { cause });
    this.afterMs = afterMs;
  }
}

/** `throw retryable(error, { after: '5 seconds' })`: nothing has happened yet, try the whole call again. */
export function retryable(cause: unknown, options: { after?: Duration } = {}): RetryableToolError {
  return new RetryableToolError(
    cause,
    options.after === undefined ? undefined : durationMs('retryable, after', options.after),
  );
}
