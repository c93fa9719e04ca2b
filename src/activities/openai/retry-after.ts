/** A provider that asks for a longer wait than this is asked again after it all the same. */
export const MAX_RETRY_AFTER_MS = 600_000;

const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i;
const ZONE = /(?:GMT|UTC|Z|[+-]\d{4})$/i;

/**
 * How long the answer asks to wait, in whole milliseconds, at most {@link MAX_RETRY_AFTER_MS}; undefined where it
 * doesn't say or can't be understood. Reads `retry-after-ms`, then `Retry-After` as seconds or as an HTTP date;
 * a date, which is exact to the second, is rounded up to one, and is 0 once past.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const inMs = plainNumber(headers?.get('retry-after-ms'));
  const given = inMs ?? fromRetryAfter(headers?.get('retry-after'), now);
  return given === undefined ? undefined : Math.min(Math.ceil(given), MAX_RETRY_AFTER_MS);
}

function fromRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const seconds = plainNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = value?.trim() ?? '';
  // Date.parse makes a date of nearly anything: "-5" is a day in 2001.
  if (!HTTP_DATE.test(date)) return undefined;
  const at = Date.parse(ZONE.test(date) ? date : `${date} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000) * 1000);
}

function plainNumber(value: string | null | undefined): number | undefined {
  const trimmed = value?.trim() ?? '';
  return /^(?:\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** "Please try again in 1.2s", "retryDelay": "34s": some providers say it in the error's text only. */
const IN_TEXT =
  /(?:(?:try again|retry) (?:in|after) ?|retryDelay["\s:]{0,9})(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|seconds?)\b/i;

/** Nobody says it later than that. */
const TEXT_CHARACTERS = 8192;

/** As {@link retryAfterMs}, from what the provider said. */
export function retryAfterInText(text: string): number | undefined {
  const [, amount, unit] = IN_TEXT.exec(text.slice(0, TEXT_CHARACTERS)) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  const scale = unit.toLowerCase().startsWith('m') ? 1 : 1000;
  return Math.min(Math.ceil(Number(amount) * scale), MAX_RETRY_AFTER_MS);
}
