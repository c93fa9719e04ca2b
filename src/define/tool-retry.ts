import { type Duration, durationMs } from '../shared/duration.js';
import { namesOf, requireKnown } from './known-options.js';

export type RetryOptions = {
  /** How often it is tried in all, from 2 to 100. */
  attempts: number;
  /** Before the second try; each wait is twice the one before. Default 200 milliseconds. */
  initialInterval?: Duration;
  /** The longest wait. Default 10 seconds, or `initialInterval` where that is longer. */
  maximumInterval?: Duration;
  /** Whether a try that threw this is worth another one; of one that took too long, a `TimeoutError`. Default: each is. */
  when?(error: unknown): boolean;
};

/** The same with nothing left open, in milliseconds. */
export type ToolRetry = {
  readonly attempts: number;
  readonly initialInterval: number;
  readonly maximumInterval: number;
  when?(error: unknown): boolean;
};

const OPTIONS = namesOf<RetryOptions>({
  attempts: true,
  initialInterval: true,
  maximumInterval: true,
  when: true,
});
const DEFAULT_INITIAL_MS = 200;
const DEFAULT_MAX_MS = 10_000;
const MOST_ATTEMPTS = 100;

/** Throws a TypeError or RangeError that names the tool for one that may not run twice, and for numbers that can't be. */
export function toolRetry(name: string, isIdempotent: boolean, options: RetryOptions): ToolRetry {
  requireKnown(`Tool ${name}, retry`, options, OPTIONS, '{ attempts: 3 }');
  const { attempts, initialInterval, maximumInterval, when } = options;
  if (!isIdempotent) {
    throw new TypeError(
      `Tool ${name}: retry needs idempotent: true, because a try that has failed may have had effects, which another one would repeat. Where a try has had none, throw retryable(error) instead.`,
    );
  }
  if (!Number.isInteger(attempts) || attempts < 2 || attempts > MOST_ATTEMPTS) {
    throw new RangeError(
      `Tool ${name}, retry.attempts: ${attempts} is not a whole number from 2 to ${MOST_ATTEMPTS}; the first try counts.`,
    );
  }
  const initialMs =
    initialInterval === undefined
      ? DEFAULT_INITIAL_MS
      : durationMs(`Tool ${name}, retry.initialInterval`, initialInterval);
  const maxMs =
    maximumInterval === undefined
      ? Math.max(DEFAULT_MAX_MS, initialMs)
      : durationMs(`Tool ${name}, retry.maximumInterval`, maximumInterval);
  if (maxMs < initialMs) {
    throw new RangeError(`Tool ${name}, retry: its maximumInterval is less than its initialInterval.`);
  }
  return { attempts, initialInterval: initialMs, maximumInterval: maxMs, ...(when && { when }) };
}
