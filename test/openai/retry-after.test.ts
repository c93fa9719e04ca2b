import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../../src/activities/openai/retry-after.js';

describe('how long to wait', () => {
  const now = Date.parse('2026-03-01T00:00:00.400Z');
  it.each([
    ['2', 2000],
    ['0', 0],
    ['1.5', 1500],
    [' 3 ', 3000],
    ['Sun, 01 Mar 2026 00:00:03 GMT', 3000],
    ['Sunday, 01-Mar-26 00:00:03 GMT', 3000],
    ['Sun Mar  1 00:00:03 2026', 3000],
    ['Sat, 28 Feb 2026 00:00:00 GMT', 0],
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

  it('is taken from retry-after-ms first, where that is a number', () => {
    const both = (ms: string) => retryAfterMs(new Headers({ 'retry-after-ms': ms, 'retry-after': '7' }), now);
    expect([both('250'), both('250.2'), both('x')]).toEqual([250, 251, 7000]);
  });
});
