import { setTimeout } from 'node:timers/promises';
import { ActivityNotFoundError, ApplicationFailure, type Client } from '@temporalio/client';
import { isNotFound } from '../client/not-found.js';
import { decodePayloads } from '../client/payloads.js';
import { WORKER_LOST } from '../shared/failures.js';
import { type LastWord, lastWordIn } from '../shared/settle.js';
import { wireText } from '../shared/wire-text.js';
import type { StartedActivity } from './activity-reports.js';

const REPORT_ATTEMPTS = 10;
const REPORT_PAUSE_MS = 500;

/**
 * Tells Temporal that the process which ran these activities is dead, and lets another worker have their workflows at
 * once. Whether a tool had begun is read from the server, where its acknowledged heartbeat is, and never taken from the
 * dead process. What can't be told is noticed by the heartbeat timeout. Returns how many were told.
 */
export async function reportLostActivities(
  client: Client,
  activities: readonly StartedActivity[],
  how: string,
): Promise<number> {
  const runIds = [...new Set(activities.map(({ runId }) => runId))];
  const told = await Promise.all(
    runIds.map((runId) => {
      const ofOne = activities.filter((activity) => activity.runId === runId);
      return persistently(() => reportOfWorkflow(client, ofOne, how));
    }),
  );
  return told.reduce((sum, count) => sum + count, 0);
}

/** The server may be down, too. After a few tries the heartbeat timeout is as quick. */
async function persistently(report: () => Promise<number>): Promise<number> {
  for (let attempt = 1; attempt <= REPORT_ATTEMPTS; attempt++) {
    try {
      return await report();
    } catch (error) {
      // The workflow has ended: nobody waits for what its activities did.
      if (isNotFound(error)) return 0;
      await setTimeout(REPORT_PAUSE_MS);
    }
  }
  return 0;
}

async function reportOfWorkflow(
  client: Client,
  activities: readonly StartedActivity[],
  how: string,
): Promise<number> {
  const [{ workflowId = '', runId = '' } = {}] = activities;
  const { workflowService: service } = client;
  const { namespace, loadedDataConverter: converter } = client.options;
  const execution = { workflowId, runId };
  await service.resetStickyTaskQueue({ namespace, execution });
  const { pendingActivities } = await service.describeWorkflowExecution({ namespace, execution });
  let told = 0;
  for (const activity of activities) {
    const pending = pendingActivities?.find(({ activityId }) => activityId === activity.activityId);
    if (!pending) continue;
    const [beat] = await decodePayloads(converter, pending.heartbeatDetails?.payloads);
    if (await fail(client, activity.token, lost(lastWordIn(beat), how))) told += 1;
  }
  return told;
}

/** False where the attempt has ended: its answer had reached the server. */
async function fail(client: Client, token: string, failure: ApplicationFailure): Promise<boolean> {
  try {
    await client.activity.fail(Buffer.from(token, 'base64'), failure);
    return true;
  } catch (error) {
    if (error instanceof ActivityNotFoundError) return false;
    throw error;
  }
}

function lost(word: LastWord, how: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: WORKER_LOST,
    message: wireText(`The worker died while this ran (${how})`),
    nonRetryable: word.begun,
    nextRetryDelay: 1,
    details: [word],
  });
}
