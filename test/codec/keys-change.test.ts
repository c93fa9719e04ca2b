import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AgentClient } from '../../src/client/agent-client.js';
import type { CodecOptions } from '../../src/codec/data-converter.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';
import { type Script, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { agentWith, echoTool, gate } from '../turn/agents.js';
import { type CodecPlace, codecPlace, quiet } from './place.js';

const keyA = newEncryptionKey('a');
const keyB = newEncryptionKey('b');
let place: CodecPlace;

beforeAll(async () => {
  quiet();
  place = await codecPlace();
});
afterAll(() => place?.close());

function agent(script: Script) {
  return agentWith([echoTool().tool], { model: scriptedModel(script) });
}

type Plan = { starter: AgentClient; reader: AgentClient; before: CodecOptions; after: CodecOptions };

/** One worker begins the turn and leaves in its second model call; another, with its own codec, ends it. */
async function handedOver({ starter, reader, before, after }: Plan) {
  const taskQueue = randomUUID();
  const second = gate();
  const waiting = async () => {
    second.open();
    return await new Promise<never>(() => undefined);
  };
  const beginning = agent([toolCall('echo', { text: 'one' }), waiting]);
  const turnId = await place.withWorker({ taskQueue, agents: [beginning], codec: before }, async () => {
    const started = await starter.start('tester', 'go on', { taskQueue });
    await second.opened;
    return started.turnId;
  });
  const ending = agent([text('never asked again'), toolCall('echo', { text: 'two' }), text('done')]);
  const turn = reader.turn(turnId);
  const use = async () => ({ turn, outcome: await turn.result() });
  return await place.withWorker({ taskQueue, agents: [ending], codec: after }, use);
}

test('a turn that runs goes on after the key was changed, and its history needs both keys', async () => {
  const client = await place.client({ keys: `${keyB},${keyA}` });
  const { turn, outcome } = await handedOver({
    starter: client,
    reader: client,
    before: { keys: `${keyA},${keyB}` },
    after: { keys: `${keyB},${keyA}` },
  });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 3 });
  expect(await turn.transcript()).toHaveLength(6);
  for (const keys of [keyA, keyB]) {
    const reader = await place.client({ keys });
    await expect(reader.turn(turn.turnId).transcript()).rejects.toMatchObject({ name: 'Codec.UnknownKey' });
  }
});

test('encryption can be switched on while a turn runs', async () => {
  const { turn, outcome } = await handedOver({
    starter: await place.client({}),
    reader: await place.client({ keys: keyA }),
    before: {},
    after: { keys: keyA },
  });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 3 });
  expect(await turn.transcript()).toHaveLength(6);
  const without = await place.client({});
  await expect(without.turn(turn.turnId).result()).rejects.toMatchObject({
    name: 'Codec.UnknownKey',
    message: expect.stringMatching(/key "a".*no key.*HOLDFAST_ENCRYPTION_KEYS/),
  });
});

test('a worker without the key fails no turn: it says which one is missing, and a worker that has it goes on', async () => {
  const client = await place.client({ keys: keyA });
  const taskQueue = randomUUID();
  const agents = [agent([text('done')])];
  const turn = await client.start('tester', 'hello', { taskQueue });
  const handle = client.client.workflow.getHandle(turn.turnId);
  const failedTasks = async () => {
    const { events } = await handle.fetchHistory();
    return events?.flatMap((event) => event.workflowTaskFailedEventAttributes ?? []) ?? [];
  };
  await place.withWorker({ taskQueue, agents, codec: {} }, async () => {
    const said = async () => (await failedTasks())[0]?.failure?.message;
    await vi.waitFor(async () => expect(await said()).toMatch(/the key "a".*no key/), 20_000);
  });
  expect((await handle.describe()).status.name).toBe('RUNNING');
  const outcome = await place.withWorker({ taskQueue, agents, codec: { keys: keyA } }, () => turn.result());
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  // Temporal records the first of failed tasks alone, so that no history fills up while a key is missing.
  expect(await failedTasks()).toHaveLength(1);
});

test('a client without the key is told which one is missing, whatever it asks', async () => {
  const client = await place.client({ keys: keyA });
  const without = await place.client({});
  const taskQueue = randomUUID();
  await place.withWorker({ taskQueue, agents: [agent([text('done')])], codec: { keys: keyA } }, async () => {
    const { turnId } = await client.start('tester', 'hello', { taskQueue });
    await client.turn(turnId).result();
    const blind = without.turn(turnId);
    const watched = async () => {
      for await (const event of blind.events()) expect(event).toBeUndefined();
    };
    const asks = [() => blind.result(), () => blind.transcript(), () => blind.state(), watched];
    for (const ask of asks) await expect(ask()).rejects.toThrow(/the key "a"/);
  });
});

test('an activity that comes to a worker without the key fails by name before anything runs, and is tried again', async () => {
  const client = await place.client({ keys: keyA });
  const taskQueue = randomUUID();
  const blindModel = scriptedModel([text('never')]);
  const blind = agentWith([], { model: blindModel });
  const keys = { keys: keyA };
  const onlyWorkflows = { enableNonLocalActivities: false, maxEagerActivityReservationsPerWorkflowTask: 0 };
  const turn = await client.start('tester', 'hello', { taskQueue });
  const pending = async () => {
    const { raw } = await client.client.workflow.getHandle(turn.turnId).describe();
    return raw.pendingActivities?.[0];
  };
  const agents = [agent([text('done')])];
  await place.withWorker({ taskQueue, agents, codec: keys, worker: onlyWorkflows }, () =>
    vi.waitFor(async () => expect(await pending()).toBeDefined(), 20_000),
  );
  await place.withWorker({ taskQueue, agents: [blind], codec: {} }, async () => {
    const failure = async () => (await pending())?.lastFailure?.applicationFailureInfo?.type;
    await vi.waitFor(async () => expect(await failure()).toBe('Codec.UnknownKey'), 20_000);
  });
  const outcome = await place.withWorker({ taskQueue, agents, codec: keys }, () => turn.result());
  expect(outcome.text).toBe('done');
  expect(blindModel.requests).toEqual([]);
});
