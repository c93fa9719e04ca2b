import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { fault, reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';

const page = defineTool({
  name: 'page',
  description: 'A page of 90 KB.',
  input: z.object({}),
  idempotent: true,
  run: () => 'x'.repeat(90_000),
});

test('a turn whose history takes more than gRPC takes at once is read all the same', async () => {
  const calls = Array.from({ length: 60 }, () => toolCall('page'));
  const model = scriptedModel([reply(...calls), text('read')]);
  const agent = defineAgent({ name: 'reader', instructions: 'Read.', model, tools: [page] });
  await withWorker(agent, async ({ start }) => {
    const turn = await start('read 60 pages');
    const outcome = await turn.result();
    expect(outcome).toMatchObject({ type: 'completed', text: 'read', messageCount: 4 });
    expect(outcome.messages).toEqual(await turn.transcript());
    const seen: string[] = [];
    for await (const event of turn.events()) seen.push(event.type);
    expect(seen.filter((type) => type === 'tool_finished')).toHaveLength(60);
  });
});

test('a prompt that is larger than a turn can carry is refused at once, with its size', async () => {
  const { client } = await testPlace();
  await expect(client.start('reader', 'x'.repeat(3_000_000))).rejects.toThrow(/3000\d+ bytes.*1500000/);
});

test('the largest prompt and a model that fails end as a failure, with the prompt in its outcome', async () => {
  const model = scriptedModel([fault({ status: 401 })]);
  const agent = defineAgent({ name: 'reader', instructions: 'Read.', model });
  await withWorker(agent, async ({ start }) => {
    const turn = await start('x'.repeat(1_499_000));
    await expect(turn.result()).rejects.toMatchObject({
      type: 'Model.Authentication',
      outcome: { type: 'failed', messageCount: 1 },
    });
  });
});
