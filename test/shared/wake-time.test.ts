import { expect, test } from 'vitest';
import { wakeTime } from '../../src/activities/wake-time.js';

const now = Date.parse('2026-11-30T12:00:00Z');
const wake = (until: string, maxMs = 30 * 86_400_000) => wakeTime({ until }, { maxMs }, now);

test.each([
  ['10 minutes', '2026-11-30T12:10:00.000Z'],
  ['1.5 Hours', '2026-11-30T13:30:00.000Z'],
  ['2026-12-01T08:00:00+01:00', '2026-12-01T07:00:00.000Z'],
  ['2026-12-01T08:00:00Z', '2026-12-01T08:00:00.000Z'],
  // Whatever zone the worker is in.
  ['2026-12-01T08:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01 08:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01', '2026-12-01T00:00:00.000Z'],
  // Past: it wakes at once.
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z'],
])('%s is %s', (said, until) => {
  expect(wake(said)).toEqual({ until });
});

test.each(['soon', '', '10', '2026-99-99', 'tomorrow'])('%j is told what it is to be', (said) => {
  expect(wake(said)).toMatchObject({ problem: expect.stringContaining('10 minutes') });
});

test('a time beyond the longest is told what the latest is', () => {
  expect(wake('2 days', 86_400_000)).toMatchObject({
    problem: expect.stringContaining('2026-12-01T12:00:00.000Z is the latest'),
  });
});
