import { writeFileSync } from 'node:fs';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { defineAgent } from '../../dist/index.js';
import { scriptedModel, withWorker } from '../../dist/testing/index.js';
import { reportLostActivities } from '../../dist/worker/lost-activities.js';
import { tools, untilBegun } from './recorded-tools.mjs';

/** Where the activities of a kind's `foreign` are served. */
export const FOREIGN_QUEUE = 'recorded-foreign';

/** Runs a turn or a session of that kind to its end, and keeps its event history in the file. */
export async function record(name, kind, file) {
  const { script, options = {}, agent: more, run, meanwhile, asks, loses, child } = kind;
  const { session, foreign } = kind;
  const agent = defineAgent({
    name: 'recorded',
    instructions: 'Record.',
    model: scriptedModel(script),
    tools,
    ...more,
  });
  const started = untilBegun();
  const running = new Map();
  const onActivity = (report) =>
    report.type === 'activity_started' ? running.set(report.token, report) : running.delete(report.token);
  await withWorker(
    agent,
    async ({ start, client, taskQueue, worker: { options: made } }) => {
      const other =
        foreign &&
        (await Worker.create({
          connection: made.connection,
          taskQueue: FOREIGN_QUEUE,
          activities: foreign,
        }));
      const ended = other?.run();
      const turn = session
        ? await goThrough(session, client, client.session(`recorded-${name}`, { taskQueue, ...options }))
        : await start('go on', options);
      if (meanwhile || loses) await started;
      if (loses) await reportLostActivities(client.client, [...running.values()], 'recording');
      await meanwhile?.(turn);
      await asks?.(turn);
      await turn.result().catch(() => undefined);
      const { workflow } = client.client;
      const last = await workflow.getHandle(child ? `${turn.turnId}/${child}` : turn.turnId).fetchHistory();
      const { firstExecutionRunId } = last.events[0].workflowExecutionStartedEventAttributes;
      const history =
        run === 'first' ? await workflow.getHandle(turn.turnId, firstExecutionRunId).fetchHistory() : last;
      scrub(history);
      // Protobuf, as Temporal itself keeps it: the SDK's JSON form of a history can't be written (1.24).
      other?.shutdown();
      await ended;
      writeFileSync(file, proto.temporal.api.history.v1.History.encode(history).finish());
    },
    { onActivity },
  );
}

/** Of a session: what is done to it, and its end. Looks like a turn, as far as recording goes. */
async function goThrough(during, client, session) {
  const { workflow } = client.client;
  await during(session, { untilBegun, workflow });
  return { turnId: session.sessionId, result: () => workflow.getHandle(session.sessionId).result() };
}

/** Stacks name the paths of the machine that recorded, identities its host. */
function scrub(value) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === 'stackTrace') value[key] = '';
    else if (key === 'identity') value[key] = 'recorder';
    else scrub(each);
  }
}
