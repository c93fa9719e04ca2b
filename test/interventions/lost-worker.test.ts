import { ApplicationFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import { WORKER_LOST } from '../../src/shared/failures.js';
import { text, toolCall } from '../../src/testing/index.js';
import type { ActivityReport } from '../../src/worker/activity-reports.js';
import { endedTurn, PATIENCE, type RunningCase, untilEvent } from './ended-turn.js';
import { deafTool } from './tools.js';

/** Interrupts a turn whose tool does not stop, and lets the supervisor tell of the tool's worker that it died. */
async function interruptedThenLost({ begun, reconcile }: { begun: boolean; reconcile?: () => string }) {
  const deaf = deafTool('deaf', { ...(reconcile && { reconcile }) });
  const tokens: string[] = [];
  const onActivity = (report: ActivityReport) => {
    if (report.type === 'activity_started') tokens.push(report.token);
  };
  return await endedTurn(
    { script: [toolCall('deaf'), text('never said')], tools: [deaf.tool], worker: { onActivity } },
    async ({ turn, client }) => {
      await deaf.running;
      await turn.interrupt();
      await untilCancelRequested({ turn, client });
      const failure = ApplicationFailure.create({
        type: WORKER_LOST,
        nonRetryable: begun,
        details: [{ begun }],
      });
      await client.client.activity.fail(Buffer.from(tokens.at(-1) ?? '', 'base64'), failure);
      await turn.result();
      deaf.release();
    },
  );
}

async function untilCancelRequested({ turn, client }: Pick<RunningCase, 'turn' | 'client'>): Promise<void> {
  const handle = client.client.workflow.getHandle(turn.turnId);
  const isRequested = async () =>
    (await handle.fetchHistory()).events?.some((event) => event.activityTaskCancelRequestedEventAttributes);
  await vi.waitFor(async () => expect(await isRequested()).toBe(true), PATIENCE);
}

test('a worker that dies in an interrupted tool leaves its effects unknown', async () => {
  const { outcome, results } = await interruptedThenLost({ begun: true });
  expect(outcome?.type).toBe('interrupted');
  expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
});

test('a worker that dies before an interrupted tool had begun: the tool was not started', async () => {
  const { results } = await interruptedThenLost({ begun: false });
  expect(results).toMatchObject([{ status: 'interrupted', cause: 'not_started' }]);
});

test('after an interrupt nobody asks what came of a tool: its effects are unknown', async () => {
  let asked = 0;
  const reconcile = () => `asked ${++asked} times`;
  const { results } = await interruptedThenLost({ begun: true, reconcile });
  expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
  expect(asked).toBe(0);
});

test('an idempotent tool whose worker died may have had effects, though its next try had not started', async () => {
  const deaf = deafTool('deaf', { idempotent: true });
  const tokens: string[] = [];
  const onActivity = (report: ActivityReport) => {
    if (report.type === 'activity_started') tokens.push(report.token);
  };
  const { results } = await endedTurn(
    {
      script: [toolCall('deaf'), text('never said')],
      tools: [deaf.tool],
      worker: { onActivity },
    },
    async ({ turn, client }) => {
      await deaf.running;
      const failure = ApplicationFailure.create({ type: WORKER_LOST, nextRetryDelay: '60 seconds' });
      await client.client.activity.fail(Buffer.from(tokens.at(-1) ?? '', 'base64'), failure);
      await untilEvent(turn, 'retry_waiting');
      await turn.interrupt();
      await turn.result();
      deaf.release();
    },
  );
  expect(results).toMatchObject([{ status: 'interrupted', cause: 'was_running' }]);
});
