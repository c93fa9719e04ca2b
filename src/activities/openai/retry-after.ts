/** A provider that asks for a longer wait than this is asked again after it all the same. */
export const MAX_RETRY_AFTER_MS = 600_000;

const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}/;
const ZONE = /(?:GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i;

/**
 * How long the answer asks to wait, in whole milliseconds above 0, at most {@link MAX_RETRY_AFTER_MS}; undefined where
 * it doesn't say or can't be understood. Reads `retry-after-ms`, then `Retry-After` as seconds or as a date (HTTP, ISO),
 * which is exact to the second and rounded up to one. Of no wait at all, or a date that is past, we say that it
 * doesn't say: all tries of a call would be used up at once.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const inMs = plainNumber(headers?.get('retry-after-ms'));
  const given = inMs ?? fromRetryAfter(headers?.get('retry-after'), now);
  return given === undefined ? undefined : bounded(given);
}

function bounded(ms: number): number | undefined {
  return ms > 0 ? Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS) : undefined;
}

function fromRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const seconds = plainNumber(value);
  return seconds === undefined ? untilDate(value?.trim() ?? '', now) : seconds * 1000;
}

function untilDate(date: string, now: number): number | undefined {
  const isIso = ISO_DATE.test(date);
  // Date.parse makes a date of nearly anything: "-5" is a day in 2001.
  if (!isIso && !HTTP_DATE.test(date)) return undefined;
  const zone = ZONE.test(date.slice('2026-01-01'.length)) ? '' : isIso ? 'Z' : ' GMT';
  const at = Date.parse(`${date}${zone}`);
  return Number.isNaN(at) ? undefined : Math.ceil((at - now) / 1000) * 1000;
}

function plainNumber(value: string | null | undefined): number | undefined {
  const trimmed = value?.trim() ?? '';
  return /^(?:\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : undefined;
}

const DURATION =
  /(\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)(?![a-z])/;
/** "try again in 1.2s", "Please retry after 24 seconds", "in 1m26.4s", "6m0s", `"retryDelay": "34s"`. */
const IN_TEXT = new RegExp(
  `(?:(?:try again|retry) (?:in|after) ?|retryDelay["\\\\\\s:]{0,9})((?:${DURATION.source},? ?(?:and )?){1,4})`,
  'i',
);
const AT_IN_TEXT =
  /(?:try again|retry) (?:at|after) (\d{4}-\d{2}-\d{2}[T ][\d:.]{8,20}(?:Z|[+-]\d{2}:?\d{2})?)/i;

/** Nobody says it later than that. */
const TEXT_CHARACTERS = 8192;

/** As {@link retryAfterMs}, from what the provider said: some say it in the error's text only. */
export function retryAfterInText(said: string, now: number): number | undefined {
  const text = said.slice(0, TEXT_CHARACTERS);
  const [, date] = AT_IN_TEXT.exec(text) ?? [];
  const until = date === undefined ? undefined : untilDate(date, now);
  if (until !== undefined) return bounded(until);
  const [, durations] = IN_TEXT.exec(text) ?? [];
  if (durations === undefined) return undefined;
  const parts = durations.matchAll(new RegExp(DURATION, 'gi'));
  return bounded([...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * scale(unit), 0));
}

function scale(unit = ''): number {
  const word = unit.toLowerCase();
  if (word.startsWith('h')) return 3_600_000;
  if (word.startsWith('ms') || word.startsWith('milli')) return 1;
  return word.startsWith('m') ? 60_000 : 1000;
}
