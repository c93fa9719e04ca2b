import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, type DataConverter } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AgentClient } from '../../src/client.js';
import { dataConverter } from '../../src/codec/index.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { holdfast } from '../../src/worker.js';
import { countedTool } from '../turn/agents.js';
import { analystWith } from './agents.js';
import { bundled, ownWorker, withOwnWorker, workflowFile } from './own-worker.js';

const report = () => scriptedModel([text('{"title":"Sales rose"}')]);
const options = { agent: 'analyst', prompt: 'Report on yesterday.' };

let reports: { code: string };
beforeAll(async () => {
  const plugin = holdfast({ agents: [] });
  // Given twice, it is the plugin given once.
  reports = await bundled('reports.ts', { plugins: [plugin, plugin] });
});

test.each([
  ['a file', 'reports.ts'],
  ['a folder', 'folder'],
  ['a CommonJS module', 'common.cjs'],
  ['a default export', 'any-type.ts'],
])('a worker whose workflows are %s runs them, and turns', async (_, name) => {
  const workflowsPath = workflowFile(name);
  await withOwnWorker([analystWith(report())], { workflowsPath }, async ({ client, taskQueue, start }) => {
    const own = await start('turn', options);
    expect(await own.result()).toMatchObject({ type: 'completed', output: { title: 'Sales rose' } });
    const turn = await client.start('analyst', 'Report.', { taskQueue });
    expect(await turn.result()).toMatchObject({ output: { title: 'Sales rose' } });
  });
});

test("a worker's own activities run beside a turn's tools, from a prebuilt bundle", async () => {
  const { tool, runs } = countedTool('read_sales', { day: z.string() });
  const model = scriptedModel([toolCall('read_sales', { day: 'Monday' }), text('{"title":"Sales rose"}')]);
  const activities = { shout: async (words: string) => `${words.toUpperCase()}!` };
  const worker = { workflowBundle: reports, activities };
  await withOwnWorker([analystWith(model, [tool])], worker, async ({ start }) => {
    const own = await start('report', 'Report on Monday.');
    expect(await own.result()).toBe('SALES ROSE!');
    expect(runs).toEqual([{ day: 'Monday' }]);
  });
});

test('a worker without workflows of its own runs turns', async () => {
  await withOwnWorker([analystWith(report())], {}, async ({ client, taskQueue }) => {
    const turn = await client.start('analyst', 'Report.', { taskQueue });
    expect(await turn.result()).toMatchObject({ output: { title: 'Sales rose' } });
  });
});

/** What a turn's workflow made of its result, and the result as a client with that converter reads it. */
async function resultWith(dataConverter: DataConverter) {
  return await withOwnWorker([analystWith(report())], { dataConverter }, async ({ client, taskQueue }) => {
    const { connection, options } = client.client;
    const own = new Client({ connection, namespace: options.namespace, dataConverter });
    const turn = await new AgentClient({ client: own, taskQueue }).start('analyst', 'Report.');
    const outcome = await turn.result();
    const { events = [] } = await own.workflow.getHandle(turn.turnId).fetchHistory();
    const payload = events?.at(-1)?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
    return { outcome, payload };
  });
}

test("a worker's own codec is the one that its turns have", async () => {
  const keys = [{ id: 'own', key: randomBytes(32) }];
  const { outcome, payload } = await resultWith(dataConverter({ keys }));
  expect(outcome).toMatchObject({ output: { title: 'Sales rose' } });
  expect(Buffer.from(payload?.data ?? []).toString('latin1')).not.toContain('Sales rose');
});

test("a worker's own payload converter is in the workflows of its turns", async () => {
  const payloadConverterPath = fileURLToPath(new URL('./payload-converter.cjs', import.meta.url));
  const { outcome, payload } = await resultWith({ payloadConverterPath });
  expect(outcome).toMatchObject({ output: { title: 'Sales rose' } });
  expect(payload?.metadata).toMatchObject({ by: Buffer.from([1]) });
});

test('the plugin given twice is the plugin given once', async () => {
  const agents = [analystWith(report())];
  const plugin = holdfast({ agents });
  const plugins = [plugin, plugin, holdfast({ agents })];
  await withOwnWorker(agents, { plugins, workflowBundle: reports }, async ({ start }) => {
    const own = await start('turn', options);
    expect(await own.result()).toMatchObject({ type: 'completed' });
  });
});

test('two plugins of different agents are refused', async () => {
  const plugins = [holdfast({ agents: [analystWith(report())] }), holdfast({ agents: [] })];
  await expect(ownWorker([], { plugins })).rejects.toThrow('name all agents in one holdfast({ agents');
});

test('a workflow of its own and the turn in it are replayed with the plugin', async () => {
  const plugins = [holdfast({ agents: [] })];
  await withOwnWorker([analystWith(report())], { workflowBundle: reports }, async ({ client, start }) => {
    const own = await start('turn', options);
    const { turnId } = (await own.result()) as { turnId: string };
    const fetch = async (id: string) => await client.client.workflow.getHandle(id).fetchHistory();
    const [ofOwn, ofTurn] = await Promise.all([fetch(own.workflowId), fetch(turnId)]);
    await Worker.runReplayHistory({ workflowBundle: reports, plugins }, ofOwn, own.workflowId);
    await Worker.runReplayHistory({ workflowBundle: reports, plugins }, ofTurn, turnId);
    await Worker.runReplayHistory({ plugins }, ofTurn, turnId);
  });
});

test('a prebuilt bundle without turns is refused, with how to build it', async () => {
  const without = await bundled('reports.ts', { plugins: [] });
  const refused = 'bundleWorkflowCode({ workflowsPath, plugins: [holdfast({ agents })] })';
  await expect(ownWorker([], { workflowBundle: without })).rejects.toThrow(refused);
});

test.each(['read_sales', 'default', 'holdfast.callModel'])(
  'a worker whose own activity has the name %s is refused',
  async (name) => {
    const { tool } = countedTool('read_sales', {});
    const activities = { [name]: async () => 'mine' };
    const made = ownWorker([analystWith(report(), [tool])], { activities });
    await expect(made).rejects.toThrow(`Activity "${name}" is taken`);
  },
);

test('a workflow file that imports an agent by its value is refused in a sentence', async () => {
  const made = bundled('with-value');
  await expect(made).rejects.toThrow(
    /can't import an agent, only its type: \S+with-value\/index\.ts imports \S+agent\.ts imports holdfast\.\nWrite: import type/,
  );
});
