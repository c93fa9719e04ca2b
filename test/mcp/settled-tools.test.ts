import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { replay, reply, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, newFolder, oddServer, resultsOf, textIn } from './odd-servers.js';

const anything = { type: 'object' };

/** A list of tools in a file that a test may change. */
function listed(...tools: object[]) {
  const path = join(newFolder(), 'tools.json');
  const write = (...now: object[]) => writeFileSync(path, JSON.stringify(now));
  write(...tools);
  return { TOOLS: path, write };
}

test.concurrent('a turn goes on with the tools that it began with, in a new worker and with a changed list', async () => {
  const { TOOLS, write } = listed(
    { name: 'echo', description: 'As it was.', inputSchema: { type: 'object', required: ['text'] } },
    { name: 'old', inputSchema: anything },
  );
  const odd = oddServer({}, { TOOLS });
  const taskQueue = `mcp-restart-${process.pid}`;
  const first = scriptedModel([
    toolCall('odd__echo', { text: 'one' }),
    { ...reply(text('never')), delayMs: Number.POSITIVE_INFINITY },
  ]);
  const turnId = `mcp-restart-${process.pid}`;
  await withWorker(
    { ...agentWith(odd.server), model: first },
    async ({ start }) => {
      await start('Go.', { turnId });
      await vi.waitFor(() => expect(first.requests).toHaveLength(2), { timeout: 20_000 });
    },
    { taskQueue },
  );
  write(
    { name: 'echo', description: 'Changed.', inputSchema: anything },
    { name: 'new', inputSchema: anything },
  );
  const second = scriptedModel([
    text('never'),
    reply(
      toolCall('odd__echo', { text: 'two' }),
      toolCall('odd__new'),
      toolCall('odd__old'),
      toolCall('odd__echo'),
    ),
    text('done'),
  ]);
  await withWorker(
    { ...agentWith(odd.server), model: second },
    async ({ client }) => {
      const turn = client.turn(turnId);
      expect((await turn.result()).type).toBe('completed');
      const results = (await turn.transcript()).flatMap((each) => (each.role === 'tool' ? each.content : []));
      expect(results.map(textIn).slice(0, 2)).toEqual(['echo one', 'echo two']);
      expect(results[2]).toMatchObject({ status: 'error', cause: 'unknown_tool' });
      expect(results[3]?.status).toBe('error');
      expect(textIn(results[3])).toContain('there is no tool old');
      expect(results[4]).toMatchObject({ status: 'error', cause: 'invalid_arguments' });
    },
    { taskQueue },
  );
  expect(second.requests[0]?.tools).toEqual(first.requests[0]?.tools);
  expect(odd.count('started')).toBe(2);
  await replay(turnId);
});

test.concurrent('without the store that has the settled tools, the servers are asked again', async () => {
  const { TOOLS, write } = listed({ name: 'echo', inputSchema: anything });
  const odd = oddServer({}, { TOOLS });
  const taskQueue = `mcp-store-${process.pid}`;
  const store = () => localArtifacts(newFolder());
  const first = scriptedModel([
    { ...reply(toolCall('odd__echo', { text: 'one' })) },
    { ...reply(text('never')), delayMs: Number.POSITIVE_INFINITY },
  ]);
  const turnId = taskQueue;
  await withWorker(
    { ...agentWith(odd.server), model: first },
    async ({ start }) => {
      await start('Go.', { turnId });
      await vi.waitFor(() => expect(first.requests).toHaveLength(2), { timeout: 20_000 });
    },
    { taskQueue, artifacts: store() },
  );
  write({ name: 'echo', inputSchema: anything }, { name: 'new', inputSchema: anything });
  const second = scriptedModel([
    text('never'),
    reply(toolCall('odd__echo', { text: 'two' }), toolCall('odd__new')),
    text('done'),
  ]);
  await withWorker(
    { ...agentWith(odd.server), model: second },
    async ({ client }) => {
      const turn = client.turn(turnId);
      await turn.result();
      const results = (await turn.transcript()).flatMap((each) => (each.role === 'tool' ? each.content : []));
      expect(textIn(results[1])).toBe('echo two');
      expect(results[2]).toMatchObject({ status: 'error', cause: 'unknown_tool' });
    },
    { taskQueue, artifacts: store() },
  );
});

test.concurrent('the settled tools go along when a turn goes on in a new run', async () => {
  const { server } = oddServer();
  const model = scriptedModel([
    toolCall('odd__grow'),
    reply(toolCall('odd__echo', { text: 'two' }), toolCall('odd__grown')),
    text('done'),
  ]);
  const { calls } = await testTurn({ ...agentWith(server), iterationsPerRun: 1 }, 'Go.', { model });
  expect(calls.map(({ result }) => result.cause ?? textIn(result))).toEqual([
    'grown',
    'echo two',
    'unknown_tool',
  ]);
  expect(model.requests[2]?.tools).toEqual(model.requests[0]?.tools);
});

test.concurrent('a list that changes counts from the next turn on', async () => {
  const { server } = oddServer();
  const running = scriptedModel([toolCall('odd__grow'), toolCall('odd__grown'), text('done')]);
  const agent = agentWith(server);
  await withWorker({ ...agent, model: running }, async ({ start }) => {
    const turn = await start('Go.');
    await turn.result();
    const results = (await turn.transcript()).flatMap((each) => (each.role === 'tool' ? each.content : []));
    expect(results[1]).toMatchObject({ status: 'error', cause: 'unknown_tool' });
    const next = await start('Again.');
    await next.result();
    const offered = running.requests.map(({ tools }) => tools.some(({ name }) => name === 'odd__grown'));
    expect(offered).toEqual([false, false, false, true, true, true]);
  });
});

test.concurrent('a tool that has vanished from its server is told by its name', async () => {
  const { server } = oddServer();
  const [, gone] = await resultsOf(server, [toolCall('odd__shrink')], [toolCall('odd__vanishing')]);
  expect(gone?.status).toBe('error');
  expect(textIn(gone)).toContain('there is no tool vanishing');
});

test.concurrent('names that providers refuse, or that are taken, are made fit and stay apart', async () => {
  const long = 'a_tool_with_a_name_that_goes_on_and_on_for_much_longer_than_any_provider_takes';
  const names = ['git.status', 'git/status', 'plain', long, `${long}_2`];
  const { TOOLS } = listed(...names.map((name) => ({ name, inputSchema: anything })));
  const odd = oddServer({}, { TOOLS });
  const model = scriptedModel([
    (_messages, { tools }) => reply(...tools.map(({ name }) => toolCall(name))),
    text('done'),
  ]);
  const { calls } = await testTurn(agentWith(odd.server), 'Go.', { model });
  const made = calls.map(({ call }) => call.name);
  expect(new Set(made).size).toBe(5);
  for (const name of made) expect(name).toMatch(/^odd__[a-zA-Z0-9_-]{1,59}$/);
  expect(made).toContain('odd__plain');
  expect(calls.map(({ result }) => textIn(result))).toEqual(names.map((name) => `ran ${name}`));
});

test.concurrent('a filter leaves tools out', async () => {
  const { server } = oddServer({ tools: ['p*', 'echo', '!progress'] });
  const model = scriptedModel([text('done')]);
  await testTurn(agentWith(server), 'Go.', { model });
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['odd__echo', 'odd__pid']);
});

test.concurrent('hundreds of tools are found by words, and offered once they are found', async () => {
  const tools = Array.from({ length: 300 }, (_each, index) => ({
    name: `report_${index}`,
    description: `Makes report number ${index}.`,
    inputSchema: anything,
  }));
  const refund = {
    name: 'refundOrder',
    description: 'Gives the money of an order back.',
    inputSchema: anything,
  };
  const { TOOLS } = listed(...tools, refund);
  const { server } = oddServer({}, { TOOLS });
  const model = scriptedModel([
    toolCall('find_tools', { query: 'refund an order' }),
    toolCall('odd__refundOrder'),
    toolCall('odd__report_299'),
    toolCall('odd__nothing'),
    text('done'),
  ]);
  const { calls } = await testTurn(agentWith(server), 'Go.', { model });
  const offered = model.requests.map((request) =>
    request.tools.map(({ name }) => name).filter((name) => name !== 'read_artifact'),
  );
  expect(offered.slice(0, 3)).toEqual([
    ['find_tools'],
    ['find_tools', 'odd__refundOrder'],
    ['find_tools', 'odd__refundOrder'],
  ]);
  expect(textIn(calls[0]?.result)).toContain('- odd__refundOrder: Gives the money of an order back.');
  expect(textIn(calls[1]?.result)).toBe('ran refundOrder');
  // It knew the name from elsewhere.
  expect(textIn(calls[2]?.result)).toBe('ran report_299');
  expect(textIn(calls[3]?.result)).not.toContain('report_17');
});
