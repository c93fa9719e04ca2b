import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import type { TurnHandle } from '../../src/client.js';
import { defineAgent, defineTool } from '../../src/index.js';
import { scriptedModel, testPlace, text, toolCall, withWorker } from '../../src/testing/index.js';

/** Ends when it is interrupted. */
const wait = defineTool({
  name: 'wait',
  description: 'Waits.',
  input: z.object({ for: z.string() }),
  run: (_, { signal }) =>
    new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.string() }),
  idempotent: true,
  run: ({ at }) => `${at}: \`\`\`\nthe sea\n\`\`\``,
});

/**
 * Turns for all tests of a file: one that is done, one that runs until the tests are over, and one whose agent nobody has,
 * which takes ten seconds to fail. Their ids begin with `id`.
 */
export function turnsToLookAt() {
  const id = `cmd-${randomUUID().slice(0, 8)}`;
  const done = `${id}-done`;
  const failed = `${id}-failed`;
  const running = `${id}-running`;
  const model = scriptedModel([
    (_, { messages }) => {
      const asked = JSON.stringify(messages);
      if (asked.includes('wait for it')) return toolCall('wait', { for: 'it' });
      return asked.includes('look') ? toolCall('look', { at: 'west' }) : text('nothing');
    },
    text('It is **the sea**.'),
  ]);
  const agent = defineAgent({
    name: `looker-${id}`,
    version: '7',
    instructions: 'Look.',
    model,
    tools: [look, wait],
  });

  let release: () => void = () => {};
  let served: Promise<unknown>;
  let notHere: TurnHandle;

  beforeAll(async () => {
    const ended = new Promise<void>((resolve) => {
      release = resolve;
    });
    await new Promise<void>((ready, fail) => {
      served = withWorker(agent, async ({ start, client, taskQueue }) => {
        // For ten seconds it looks for a worker that has the agent.
        notHere = await client.start('nobody', 'hello', { turnId: failed, taskQueue });
        await (await start('look around', { turnId: done })).result();
        const turn = await start('wait for it', { turnId: running });
        for await (const event of turn.events()) if (event.type === 'tool_started') break;
        ready();
        await ended;
      });
      served.catch(fail);
    });
  });

  afterAll(async () => {
    const { client } = await testPlace();
    await client.turn(running).interrupt();
    await client.turn(running).result();
    release();
    await served;
  });

  return { id, done, failed, running, agent, failedTurn: () => notHere };
}
