import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { temporal } from '@temporalio/proto';

import { z } from 'zod';
import { localArtifacts } from '../../artifacts/local-artifacts.js';
import { AgentClient } from '../../client/agent-client.js';
import { type Agent, defineAgent } from '../../define/define-agent.js';
import { defineTool } from '../../define/define-tool.js';
import { retryable } from '../../define/retryable.js';
import { text, toolCall } from '../../testing/script.js';
import { scriptedModel } from '../../testing/scripted-model.js';
import { connectWorker } from '../../worker/connect.js';
import { createWorker } from '../../worker.js';
import { reach } from '../reach-server.js';

export type ServerPlace = { address: string; namespace: string };

/** How fast a Temporal server takes a turn forward, in milliseconds. */
export type ServerSpeed = {
  /** Median of a model call and a tool call that take no time themselves, with another turn beside this one. */
  iterationMs: number;
  /** Of an iteration, on average: waiting for the server to hand out the next task. An iteration has two. */
  waitMs: number;
  /** Of these waits, and of the activities between them, what the slowest quarter takes at least. */
  slowWaitMs: number;
  slowActivityMs: number;
  /** How late a tool that asked for a retry at once is started again. */
  retryLateMs: number;
  /** New tasks wait for the server's next look at its queue: `history.transferProcessorMaxPollRPS` is too small. */
  throttled: boolean;
  /** So much else goes on, there or here, that throttling would not show. */
  busy: boolean;
  /** `history.timerProcessorMaxTimeShift` is at its default of a second. */
  lateTimers: boolean;
};

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/**
 * By default a server looks at its queue 20 times a second, and has saved up 20 looks for a burst, which a short turn
 * does not use up: the slow part begins at about the twentieth iteration. Only the second half is measured. Two turns
 * keep even a busy machine above those 20 looks.
 */
const ITERATIONS = 40;
const TURNS = 2;
/** A server that is this slow has been measured by then. */
const MOST_MS = 60_000;
/**
 * On a throttled server the slowest quarter waits for 28 to 44 ms, and never for longer than its 50 between two looks; on
 * one that isn't, for 2 to 12. What else is slow, a database or a busy machine, slows activities down, too.
 * Measured on servers 1.31 (PostgreSQL) and 1.32 (SQLite), with the machine idle and busy.
 */
const THROTTLED_MS = { from: 15, to: 60 };
const THROTTLED_TO_ACTIVITY = 1.6;
const BUSY_ACTIVITY_MS = 25;
const LATE_TIMER_MS = 400;

/**
 * Runs two turns of some seconds on a queue of their own, with a worker in this process, reads their times from the
 * event histories, and deletes them. Throws ServerUnreachable where no server answers.
 */
export async function measureServerSpeed(place: ServerPlace): Promise<ServerSpeed> {
  const { address, namespace } = place;
  const taskQueue = `holdfast-doctor-${randomUUID()}`;
  const { connection } = await reach(address, () => connectWorker({ address, namespace }));
  const client = await reach(address, () => AgentClient.connect({ address, namespace, taskQueue }));
  try {
    const retries: number[] = [];
    const { worker } = await createWorker({
      agents: [prober((ms) => retries.push(ms))],
      ...{ connection, namespace, taskQueue },
      // Not the user's, whose old artifacts a worker would forget.
      artifacts: localArtifacts(join(tmpdir(), 'holdfast-doctor')),
    });
    const turnIds = Array.from({ length: TURNS }, (_, number) => `${taskQueue}-${number + 1}`);
    const histories = await worker.runUntil(() =>
      Promise.all(turnIds.map((turnId) => historyOfTurn(client, turnId, namespace))),
    );
    return speedFrom(histories.map(timesIn), retries);
  } finally {
    await client.close();
    await connection.close();
  }
}

/** Its replies and its tool take no time, and after the last iteration its tool asks to be run again. */
function prober(tellLate: (ms: number) => void): Agent {
  const failedAt = new Map<string, number>();
  const step = defineTool({
    name: 'step',
    description: 'Does nothing.',
    input: z.object({ number: z.number() }),
    idempotent: true,
    run({ number }, { idempotencyKey }) {
      const before = failedAt.get(idempotencyKey);
      if (before !== undefined) tellLate(Date.now() - before);
      if (number < ITERATIONS || before !== undefined) return 'done';
      failedAt.set(idempotencyKey, Date.now());
      throw retryable(new Error('once more'), { after: 1 });
    },
  });
  const steps = Array.from({ length: ITERATIONS + 1 }, (_, number) => toolCall('step', { number }));
  const model = scriptedModel([...steps, text('done')]);
  return defineAgent({ name: 'doctor', instructions: 'Measure.', model, tools: [step] });
}

async function historyOfTurn(client: AgentClient, turnId: string, namespace: string) {
  const turn = await client.start('doctor', 'How fast is this server?', { turnId });
  const timer = setTimeout(() => turn.interrupt('measured for long enough').catch(() => {}), MOST_MS);
  try {
    await turn.result();
  } finally {
    clearTimeout(timer);
  }
  const { events } = await client.client.workflow.getHandle(turnId).fetchHistory();
  await client.client.workflowService
    .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: turnId } })
    // Some do not allow it; then the turn stays until its retention is over.
    .catch(() => undefined);
  return events ?? [];
}

/** In milliseconds, of the second half of a turn. */
type Times = { iterations: number[]; waits: number[]; activities: number[] };

function timesIn(events: readonly HistoryEvent[]): Times {
  const times = new Map(events.map((event) => [String(event.eventId), timeOf(event)]));
  const since = (event: HistoryEvent, earlier: unknown) =>
    timeOf(event) - (times.get(String(earlier)) ?? timeOf(event));
  const found: Times = { iterations: [], waits: [], activities: [] };
  let lastStep: number | undefined;
  for (const event of secondHalf(events)) {
    const task = event.workflowTaskStartedEventAttributes;
    if (task) found.waits.push(since(event, task.scheduledEventId));
    const activity = event.activityTaskCompletedEventAttributes;
    if (activity) found.activities.push(since(event, activity.startedEventId));
    if (event.activityTaskScheduledEventAttributes?.activityType?.name !== 'step') continue;
    if (lastStep !== undefined) found.iterations.push(timeOf(event) - lastStep);
    lastStep = timeOf(event);
  }
  return found;
}

function speedFrom(turns: readonly Times[], retries: readonly number[]): ServerSpeed {
  const waits = turns.flatMap((times) => times.waits);
  const activities = turns.flatMap((times) => times.activities);
  const iterations = turns.flatMap((times) => times.iterations);
  const slowWaitMs = quantile(waits, 0.75);
  const slowActivityMs = quantile(activities, 0.75);
  const retryLateMs = quantile(retries, 0);
  const throttled =
    slowWaitMs > THROTTLED_MS.from &&
    slowWaitMs < THROTTLED_MS.to &&
    slowWaitMs > THROTTLED_TO_ACTIVITY * slowActivityMs;
  return {
    iterationMs: quantile(iterations, 0.5),
    waitMs: rounded((2 * waits.reduce((sum, each) => sum + each, 0)) / Math.max(1, waits.length)),
    ...{ slowWaitMs, slowActivityMs, retryLateMs, throttled },
    busy: !throttled && slowActivityMs > BUSY_ACTIVITY_MS,
    lateTimers: retryLateMs > LATE_TIMER_MS,
  };
}

function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1_000_000;
}

function secondHalf<Item>(items: readonly Item[]): Item[] {
  return items.slice(Math.floor(items.length / 2));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return rounded(sorted[Math.floor(share * sorted.length)] ?? 0);
}

function rounded(ms: number): number {
  return Math.round(10 * ms) / 10;
}
