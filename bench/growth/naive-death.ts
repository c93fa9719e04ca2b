import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { closeEvent, completedActivities } from '../history.js';
import { drained, startWorkerProcess } from '../worker/processes.js';
import { type Place, startNaive } from './series.js';

const ENDLESS = 1_000_000;
const LIMIT_MS = 10 * 60_000;

/** At which iteration Temporal ends a naive turn that has no end of its own, and why; it gets ten minutes. */
export async function naiveDeath(place: Place): Promise<{ iteration: number | undefined; why: string }> {
  const { client } = place.client;
  const workflowId = `naive-endless-${randomUUID()}`;
  const taskQueue = workflowId;
  const worker = await startWorkerProcess({
    ...{ address: place.address, taskQueue, folder: place.folder, modelUrl: place.model.url },
    bundlePath: place.bundlePath,
  });
  await startNaive(place, workflowId, taskQueue, ENDLESS);
  const handle = client.workflow.getHandle(workflowId);
  const died = handle.result().then(
    () => true,
    () => true,
  );
  const isDead = await Promise.race([died, setTimeout(LIMIT_MS, false, { ref: false })]);
  if (!isDead) await handle.terminate('The bench waits no longer.');
  await drained(worker, place.folder);
  const iterations = await completedActivities(client, workflowId, 'callModel');
  const last = await closeEvent(client, workflowId);
  const why =
    last.workflowExecutionTerminatedEventAttributes?.reason ??
    last.workflowExecutionFailedEventAttributes?.failure?.message ??
    'it ended';
  return { iteration: isDead ? iterations : undefined, why };
}
