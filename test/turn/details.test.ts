import { expect, test, vi } from 'vitest';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { countedTool, gate } from './agents.js';
import { sharedWorker } from './shared-worker.js';

const runs = [gate(), gate()] as const;
const ends = [gate(), gate()] as const;
const held = countedTool('held', {}, async () => {
  const number = held.runs.length > 1 ? 1 : 0;
  runs[number].open();
  await ends[number].opened;
  return 'ok';
});
const worker = sharedWorker([held.tool]);

/** The Markdown that the Web UI shows above the turn's history. */
async function detailsOf(turn: TurnHandle): Promise<string> {
  const handle = worker.client.client.workflow.getHandle(turn.turnId);
  const metadata = await handle.query<{ currentDetails?: string }, []>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

test('the Web UI tells what a turn does now: its tools, one by one, and then the model', async () => {
  const asked = gate();
  const answered = gate();
  const model = scriptedModel([
    reply(toolCall('held'), toolCall('held')),
    async () => {
      asked.open();
      await answered.opened;
      return text('done');
    },
  ]);
  const turn = await worker.start(model);
  await Promise.all(runs.map(({ opened }) => opened));
  const during = await detailsOf(turn);
  expect(during).toContain('running tools · 1 model calls');
  expect(during.match(/\| running \|/g)).toHaveLength(2);

  ends[0].open();
  await vi.waitUntil(async () => (await detailsOf(turn)).includes('| ok |'), { timeout: 30_000 });
  expect(await detailsOf(turn)).toContain('| running |');

  ends[1].open();
  await asked.opened;
  const after = await detailsOf(turn);
  expect(after).toContain('calling the model · 1 model calls');
  expect(after.match(/\| ok \|/g)).toHaveLength(2);

  answered.open();
  await turn.result();
  expect(await detailsOf(turn)).toContain('completed · 2 model calls');
});
