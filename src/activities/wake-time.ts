import { type Duration, durationMs } from '../shared/duration.js';
import { isJsonObject, type Json } from '../shared/json.js';

const HAS_OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i;
const IS_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?/;

/** When a call of `sleep_until` is to wake, ISO 8601, or what is wrong with its arguments. A time that is past is none. */
export function wakeTime(
  input: Json,
  { maxMs }: { maxMs: number },
  now = Date.now(),
): { until: string } | { problem: string } {
  const said = String(isJsonObject(input) ? input['until'] : '').trim();
  const at = IS_TIME.test(said) ? timeIn(said) : now + durationIn(said);
  if (Number.isNaN(at) || Number.isNaN(new Date(at).getTime())) {
    return { problem: 'until: give a while such as "10 minutes", or an ISO 8601 time' };
  }
  if (at - now > maxMs) {
    const latest = new Date(now + maxMs).toISOString();
    return {
      problem: `until: it is ${new Date(now).toISOString()}, and ${latest} is the latest that can be waited for`,
    };
  }
  return { until: new Date(at).toISOString() };
}

/** A day alone is UTC by the standard; so is a time without an offset here, whatever zone the worker is in. */
function timeIn(text: string): number {
  const isDay = text.length === 10;
  return Date.parse(isDay || HAS_OFFSET.test(text) ? text : `${text.replace(' ', 'T')}Z`);
}

function durationIn(text: string): number {
  try {
    return durationMs('until', text.toLowerCase() as Duration);
  } catch {
    return Number.NaN;
  }
}
