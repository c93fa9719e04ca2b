import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { AgentClient } from '../../src/client.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';
import { defineAgent } from '../../src/index.js';
import { scriptedModel, testPlace, text, withWorker } from '../../src/testing/index.js';
import { holdfast } from '../support/run-cli.js';

test('an encrypted turn is read with its key; without one it is listed, and the key is named', async () => {
  const keys = newEncryptionKey('night');
  const turnId = `sealed-${randomUUID()}`;
  const agent = defineAgent({
    name: 'sealed',
    version: '1',
    instructions: 'x',
    model: scriptedModel([text('the sea')]),
  });
  const { address } = await testPlace();
  await withWorker(
    agent,
    async ({ taskQueue }) => {
      const client = await AgentClient.connect({ address, taskQueue, codec: { keys } });
      await (await client.start('sealed', 'what is it?', { turnId })).result();
      await client.close();
    },
    { codec: { keys } },
  );
  const [opened, shown, closed, listed] = await Promise.all([
    holdfast(['transcript', turnId], { HOLDFAST_ENCRYPTION_KEYS: keys }).finished,
    holdfast(['show', turnId], { HOLDFAST_ENCRYPTION_KEYS: keys }).finished,
    holdfast(['transcript', turnId]).finished,
    holdfast(['ps', '--json', '--limit', '200']).finished,
  ]);
  expect(opened.stdout).toContain('the sea');
  expect(shown.stdout).toContain('the sea');
  expect(closed).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('encrypted with the key "night"'),
  });
  expect(closed.stderr).not.toContain('    at ');
  const line = listed.stdout.split('\n').find((each) => each.includes(turnId)) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({ status: 'completed', failure: { type: 'Codec.UnknownKey' } });
});
