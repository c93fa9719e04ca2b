import { readFileSync } from 'node:fs';
import { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { RecordedSteps } from '../../src/client/recorded-steps.js';
import { TurnFold } from '../../src/shared/fold.js';
import type { TurnOutcome } from '../../src/shared/turn.js';

/** What the event history tells, and what the turn itself had told at its end. */
async function readHistory(kind: string): Promise<{ fold: TurnFold; outcome: TurnOutcome }> {
  const file = new URL(`./histories/${kind}.bin`, import.meta.url);
  const { events } = proto.temporal.api.history.v1.History.decode(readFileSync(file));
  const converter = new Client().options.loadedDataConverter;
  const recorded = new RecordedSteps(converter, kind);
  const fold = new TurnFold();
  for (const event of events) {
    const step = await recorded.read(event);
    if (step) fold.apply(step);
  }
  const [result] = events.at(-1)?.workflowExecutionCompletedEventAttributes?.result?.payloads ?? [];
  const outcome: TurnOutcome = JSON.parse(Buffer.from(result?.data ?? []).toString() || '{}');
  return { fold, outcome };
}

async function foldOf(kind: string): Promise<TurnFold> {
  return (await readHistory(kind)).fold;
}

test('a turn that was recorded before activities told their times has its steps, without them', async () => {
  const steps = (await foldOf('tool-rounds')).steps.list();
  expect(steps).toMatchObject([
    {
      ...{ iteration: 0, attempts: 1, stopReason: 'tool_use' },
      calls: [
        { name: 'echo', status: 'ok', durationMs: expect.any(Number) },
        { name: 'fail', status: 'error', error: 'Error: no' },
        { name: 'alone', status: 'ok' },
        { name: 'nope', cause: 'unknown_tool' },
      ],
    },
    { iteration: 1, calls: [{ name: 'echo', cause: 'invalid_json' }] },
    { iteration: 2, stopReason: 'end_turn', calls: [] },
  ]);
  expect(steps.some((step) => step.startedAt !== undefined)).toBe(false);
});

test.each([
  ['lost-worker', 'unknown'],
  ['lost-worker-reconciled', 'ok'],
])('of a %s, the call of the tool that it ran is %s', async (kind, status) => {
  const [first] = (await foldOf(kind)).steps.list();
  expect(first?.calls).toMatchObject([{ status }]);
});

test('of a turn with sub-agents, the steps that the history tells are those of its outcome', async () => {
  for (const kind of ['sub-agents', 'sub-agent', 'interrupted-sub-agent']) {
    const { fold, outcome } = await readHistory(kind);
    expect(fold.closed).toBe(true);
    if (kind === 'sub-agent') expect(outcome).not.toHaveProperty('steps');
    else expect(fold.steps.list()).toEqual(outcome.steps);
  }
});
