import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { scriptedModel, testPlace, text, toolCall } from '../../src/testing/index.js';
import { runWorkerUntil } from '../../src/worker.js';
import { agentWith, gate } from './agents.js';

async function placed() {
  const { address, connection } = await testPlace();
  return { address, connection, taskQueue: `until-${randomUUID()}` };
}

const greeter = defineAgent({
  name: 'greeter',
  instructions: 'Greet.',
  model: scriptedModel([text('Hello.')]),
});

test('runs a turn and gives back what was made of it, over a connection of its own', async () => {
  const { address, taskQueue } = await placed();
  const said = await runWorkerUntil({ agents: [greeter], address, taskQueue }, async (client) => {
    const turn = await client.start('greeter', 'Hi');
    return (await turn.result()).text;
  });
  expect(said).toBe('Hello.');
});

test('a turn is started while there is no worker yet, and the connection that was given stays open', async () => {
  const { connection, taskQueue } = await placed();
  const order: string[] = [];
  const run = () =>
    runWorkerUntil({ agents: [greeter], connection, taskQueue }, async (client) => {
      order.push('used');
      const outcome = await (await client.start('greeter', 'Hi')).result();
      order.push(outcome.type);
    });
  await run();
  await run();
  expect(order).toEqual(['used', 'completed', 'used', 'completed']);
});

// The server answers a poll without news after 20 s: that would be too late.
test('events are left when the caller stops, though the turn goes on', { timeout: 10_000 }, async () => {
  const { connection, taskQueue } = await placed();
  const held = gate();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    run: () => held.opened,
  });
  const agent = agentWith([wait], { model: scriptedModel([toolCall('wait', {}), text('Done.')]) });
  const seen = await runWorkerUntil({ agents: [agent], connection, taskQueue }, async (client) => {
    const turn = await client.start('tester', 'Wait');
    const stop = new AbortController();
    const types: string[] = [];
    for await (const { type } of turn.events({ signal: stop.signal })) {
      types.push(type);
      if (type === 'tool_started') stop.abort();
    }
    held.open();
    return { types, outcome: await turn.result() };
  });
  expect(seen.types).toContain('tool_started');
  expect(seen.types).not.toContain('turn_ended');
  expect(seen.outcome).toMatchObject({ type: 'completed', text: 'Done.' });
});

test('what `use` throws at once is thrown when the worker has ended', async () => {
  const { connection, taskQueue } = await placed();
  const failing = runWorkerUntil({ agents: [greeter], connection, taskQueue }, () => {
    throw new RangeError('Not today.');
  });
  await expect(failing).rejects.toThrow(new RangeError('Not today.'));
});

test('where there can be no worker, nothing is started', async () => {
  const { connection, taskQueue } = await placed();
  let isUsed = false;
  const refused = runWorkerUntil({ agents: [greeter, greeter], connection, taskQueue }, async () => {
    isUsed = true;
  });
  await expect(refused).rejects.toThrow('Two agents are named greeter');
  expect(isUsed).toBe(false);
});

test('a signal that ends the worker first is told, with what becomes of its turns', async () => {
  const { address, taskQueue } = await placed();
  const program = `
    import { defineAgent } from 'holdfast';
    import { runWorkerUntil } from 'holdfast/worker';
    const agents = [defineAgent({ name: 'idle', instructions: 'Wait.', model: 'none' })];
    await runWorkerUntil({ agents, ...${JSON.stringify({ address, taskQueue })} }, () => new Promise(() => {}));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const said = textOf(child.stderr);
  child.stderr.on('data', (piece) => {
    if (String(piece).includes("state: 'RUNNING'")) child.kill('SIGTERM');
  });
  expect(await said).toContain('Turns that were started go on with the next worker of their task queue.');
});
