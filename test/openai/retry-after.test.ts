import { describe, expect, it } from 'vitest';
import {
  MAX_RETRY_AFTER_MS,
  retryAfterInText,
  retryAfterMs,
} from '../../src/activities/openai/retry-after.js';

describe('how long to wait', () => {
  const now = Date.parse('2026-03-01T00:00:00.400Z');
  it.each([
    ['2', 2000],
    ['0', undefined],
    ['0.0', undefined],
    ['1.5', 1500],
    [' 3 ', 3000],
    ['Sun, 01 Mar 2026 00:00:03 GMT', 3000],
    ['Sunday, 01-Mar-26 00:00:03 GMT', 3000],
    ['Sun Mar  1 00:00:03 2026', 3000],
    ['Sat, 28 Feb 2026 00:00:00 GMT', undefined],
    ['2026-03-01T00:00:03Z', 3000],
    ['2026-03-01T01:00:03+01:00', 3000],
    ['2026-03-01T00:00:03', 3000],
    ['2026-02-01T00:00:03Z', undefined],
    ['Fri, 01 Mar 2030 00:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['999999999', MAX_RETRY_AFTER_MS],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    ['Infinity', undefined],
    ['5 minutes', undefined],
    ['Sun, soon 99:99:99 GMT', undefined],
  ])('by Retry-After "%s" is %s ms', (value, expected) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }), now)).toBe(expected);
  });

  it.each([
    ['Please try again in 1.2s.', 1200],
    ['Please try again in 20ms.', 20],
    ['Please try again in 1m26.4s. Visit', 86_400],
    ['Please try again in 6m0s.', 360_000],
    ['try again in 1 minute and 3 seconds', 63_000],
    ['Please retry after 24 seconds.', 24_000],
    ['Please retry in 34.074s.', 34_074],
    ['{\\"retryDelay\\": \\"34s\\"}', 34_000],
    ['try again in 2h5m', MAX_RETRY_AFTER_MS],
    ['try again at 2026-03-01T00:00:03.000Z', 3000],
    ['try again in 0s', undefined],
    ['try again in 5 months', undefined],
    ['try again in a moment', undefined],
  ])('by the text "%s" is %s ms', (text, expected) => {
    expect(retryAfterInText(text, now)).toBe(expected);
  });

  it('is taken from retry-after-ms first, where that is a number', () => {
    const both = (ms: string) => retryAfterMs(new Headers({ 'retry-after-ms': ms, 'retry-after': '7' }), now);
    expect([both('250'), both('250.2'), both('x')]).toEqual([250, 251, 7000]);
  });
});
