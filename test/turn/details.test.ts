import { expect, test, vi } from 'vitest';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, countedTool, gate } from './agents.js';

test('the Web UI tells what a turn does now: its tools, one by one, and then the model', async () => {
  const runs = [gate(), gate()] as const;
  const ends = [gate(), gate()] as const;
  const held = countedTool('held', {}, async () => {
    const number = held.runs.length > 1 ? 1 : 0;
    runs[number].open();
    await ends[number].opened;
    return 'ok';
  });
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
  await withWorker(agentWith([held.tool], { model }), async ({ start, client }) => {
    const turn = await start('hello');
    const handle = client.client.workflow.getHandle(turn.turnId);
    /** The Markdown above the turn's history. */
    const details = async () => {
      const metadata = await handle.query<{ currentDetails?: string }, []>('__temporal_workflow_metadata');
      return metadata.currentDetails ?? '';
    };
    await Promise.all(runs.map(({ opened }) => opened));
    const during = await details();
    expect(during).toContain('running tools · 1 model calls');
    expect(during.match(/\| running \|/g)).toHaveLength(2);

    ends[0].open();
    await vi.waitUntil(async () => (await details()).includes('| ok |'), { timeout: 30_000 });
    expect(await details()).toContain('| running |');

    ends[1].open();
    await asked.opened;
    const after = await details();
    expect(after).toContain('calling the model · 1 model calls');
    expect(after.match(/\| ok \|/g)).toHaveLength(2);

    answered.open();
    await turn.result();
    expect(await details()).toContain('completed · 2 model calls');
  });
});
