import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import proto, { type temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { workflowBundlePath } from '../../src/worker/bundle-path.js';
import { holdfastSinks } from '../../src/worker/sinks.js';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const recorded = readdirSync(folder);
const { History } = proto.temporal.api.history.v1;

function historyOf(file: string): temporal.api.history.v1.History {
  return History.decode(readFileSync(folder + file));
}

/**
 * Turns that ran with earlier workflow code go on with today's. `npm run record-histories` adds a kind; reply-at-time-limit.bin
 * was put together from time-limit.bin: a reply and the limit come in one task, and the order of our steps decides.
 */
async function replayed(history: temporal.api.history.v1.History): Promise<void> {
  const workflowBundle = { codePath: workflowBundlePath() };
  const started = history.events.at(0)?.workflowExecutionStartedEventAttributes;
  // The ids of sub-agents' turns begin with it.
  const workflowId = started?.workflowId || undefined;
  await Worker.runReplayHistory({ workflowBundle, sinks: holdfastSinks() }, history, workflowId);
}

test('there is a recorded history of each kind of turn', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(35);
});

test.each(recorded)('%s replays', async (file) => {
  await replayed(historyOf(file));
});

test('a history that the workflow code would not write fails', async () => {
  const history = historyOf('tool-rounds.bin');
  const scheduled = history.events.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'echo',
  );
  const type = scheduled?.activityTaskScheduledEventAttributes?.activityType;
  if (type) type.name = 'other';
  await expect(replayed(history)).rejects.toThrow(/[Nn]ondeterminism/);
});
