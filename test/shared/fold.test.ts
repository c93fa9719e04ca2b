import { expect, test } from 'vitest';
import { TurnFold } from '../../src/shared/fold.js';
import type { RecordedStep } from '../../src/shared/recorded-step.js';

const at = '2026-11-29T00:00:00.000Z';
const started: RecordedStep = {
  ...{ at, kind: 'started', turnId: 't', firstRunId: 'r' },
  input: { v: 1, agent: 'a', prompt: 'hello' },
};
const scheduled: RecordedStep = { at, kind: 'model_scheduled', iteration: 0, steers: [] };
const cut: RecordedStep = { at, kind: 'model_ended', attempt: 1, end: { kind: 'canceled', text: 'half a' } };

function rolesAfter(...steps: RecordedStep[]): string[] {
  const fold = new TurnFold();
  for (const step of steps) fold.apply(step);
  return fold.messages.map((message) => message.role);
}

test('what had come of an interrupted reply stays', () => {
  const closed: RecordedStep = { at, kind: 'closed', outcome: 'interrupted' };
  expect(rolesAfter(started, scheduled, cut, closed)).toEqual(['user', 'assistant', 'user']);
});

test('what had come of a reply whose interrupt the server lost goes when the call is made again', () => {
  expect(rolesAfter(started, scheduled, cut, scheduled)).toEqual(['user']);
});
