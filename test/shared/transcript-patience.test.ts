import { expect, it } from 'vitest';
import { patienceOf } from '../../src/activities/transcript-reader.js';

const TRIES = 10;

it('a transcript that nobody answers for is soon asked for again, and for minutes in all', () => {
  const tries = Array.from({ length: TRIES }, (_, index) => patienceOf(index + 1));
  expect(tries[0]).toEqual({ deadlineMs: 3000, delayMs: 500 });
  const waited = tries.reduce((sum, { deadlineMs, delayMs }) => sum + deadlineMs + delayMs, 0);
  expect(waited).toBeGreaterThan(4 * 60_000);
  expect(waited).toBeLessThan(6 * 60_000);
});
