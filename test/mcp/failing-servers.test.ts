import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { mcpServer } from '../../src/define/mcp-server.js';
import { reply, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, newFolder, oddHttpServer, oddServer, resultsOf, textIn } from './odd-servers.js';

const PATIENCE = { timeout: 20_000 };

// O24, down to the cut streams of servers over HTTP
test.concurrent('a server that dies in the middle of a call leaves its outcome unknown, and the next call has a new one', async () => {
  const odd = oddServer();
  const [died, echoed] = await resultsOf(
    odd.server,
    [toolCall('odd__die')],
    [toolCall('odd__echo', { text: 'again' })],
  );
  expect(died).toMatchObject({ status: 'unknown', cause: 'server_lost' });
  expect(textIn(died)).toContain('Whether it took effect is unknown');
  expect(textIn(echoed)).toBe('echo again');
  expect(odd.count('call die')).toBe(1);
});

test.concurrent('a read-only call is made once more where its server dies in the middle', async () => {
  const odd = oddServer();
  const [result] = await resultsOf(odd.server, [toolCall('odd__die_once')]);
  expect(result).toMatchObject({ status: 'ok' });
  expect(textIn(result)).toBe('alive');
  expect(odd.count('call die_once')).toBe(2);
});

test.concurrent('a call that is never answered ends at its timeout; the server is told, and is used again', async () => {
  const odd = oddServer({ timeout: 300 });
  const [hung, echoed] = await resultsOf(
    odd.server,
    [toolCall('odd__hang')],
    [toolCall('odd__echo', { text: 'next' })],
  );
  expect(hung).toMatchObject({ status: 'unknown', cause: 'server_lost' });
  expect(textIn(hung)).toContain('no sign of life for 0.3 s');
  expect(textIn(echoed)).toBe('echo next');
  expect(odd.log()).toContain('cancelled hang');
  expect(odd.count('started')).toBe(1);
});

test.concurrent('a server that is stuck is replaced', async () => {
  const odd = oddServer({ timeout: 300 });
  const results = await resultsOf(
    odd.server,
    [toolCall('odd__freeze')],
    [toolCall('odd__pid')],
    [toolCall('odd__pid')],
  );
  expect(results[0]?.status).toBe('unknown');
  expect(odd.count('started')).toBe(2);
  expect(results[2]?.status).toBe('ok');
});

test.concurrent('progress keeps a call alive beyond its timeout', async () => {
  const { server } = oddServer({ timeout: 1000 });
  const [result] = await resultsOf(server, [toolCall('odd__progress', { steps: 12, everyMs: 150 })]);
  expect(textIn(result)).toBe('worked');
  expect(result?.durationMs).toBeGreaterThan(1500);
});

test.concurrent('progress is no way around the hard cap', async () => {
  const { server } = oddServer({ timeout: 1000, maxTimeout: 1500 });
  const [result] = await resultsOf(server, [toolCall('odd__progress', { steps: 1000, everyMs: 100 })]);
  expect(result?.status).toBe('unknown');
  expect(textIn(result)).toContain('within 1.5 s');
});

test.concurrent('what a server says of its progress is seen by those who watch', async () => {
  const { server } = oddServer();
  const model = scriptedModel([toolCall('odd__progress', { steps: 20, everyMs: 100 }), text('done')]);
  await withWorker({ ...agentWith(server), model }, async ({ start }) => {
    const turn = await start('Go.', { stream: true });
    const seen: string[] = [];
    for await (const event of turn.events()) if (event.type === 'tool_progress') seen.push(event.text);
    expect(seen.join('\n')).toMatch(/working \(\d+ of 20\)/);
  });
});

test.concurrent('a server that ends between two calls is started again without a word', async () => {
  const odd = oddServer();
  const [pid, echoed] = await resultsOf(odd.server, [toolCall('odd__pid')], async (messages) => {
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    process.kill(Number(textIn(results[0])), 'SIGKILL');
    return reply(toolCall('odd__echo', { text: 'new' }));
  });
  expect(pid?.status).toBe('ok');
  expect(textIn(echoed)).toBe('echo new');
  expect(odd.count('started')).toBe(2);
});

test.concurrent('all who wait for a lost server share one new connection', async () => {
  const odd = oddServer();
  const echoes = [1, 2, 3, 4, 5].map((each) => toolCall('odd__echo', { text: String(each) }));
  const results = await resultsOf(odd.server, [toolCall('odd__die')], echoes);
  expect(results.slice(1).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect(odd.count('started')).toBe(2);
});

test.concurrent('an interrupt reaches the server', async () => {
  const odd = oddServer();
  const model = scriptedModel([toolCall('odd__hang')]);
  await withWorker({ ...agentWith(odd.server), model }, async ({ start }) => {
    const turn = await start('Go.');
    await vi.waitFor(() => expect(odd.log()).toContain('call hang'), PATIENCE);
    await turn.interrupt('enough');
    expect((await turn.result()).type).toBe('interrupted');
    await vi.waitFor(() => expect(odd.log()).toContain('cancelled hang'), PATIENCE);
  });
});

test.concurrent('an interrupt does not wait for a server that never answers', async () => {
  const silent = mcpServer('silent', { command: 'sleep', args: ['100'] });
  const model = scriptedModel([text('done')]);
  await withWorker({ ...agentWith(silent), model }, async ({ start, client }) => {
    const turn = await start('Go.');
    const handle = client.client.workflow.getHandle(turn.turnId);
    await vi.waitFor(async () => {
      const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
      expect(activity?.lastHeartbeatTime).toBeTruthy();
    }, PATIENCE);
    await turn.interrupt('enough');
    expect((await turn.result()).type).toBe('interrupted');
  });
});

test.concurrent('a turn fails by name where a server that it needs is not there', async () => {
  const missing = mcpServer('docs', { command: 'holdfast-no-such-program' });
  const model = scriptedModel([text('done')]);
  const turn = testTurn(agentWith(missing), 'Go.', { model });
  await expect(turn).rejects.toMatchObject({
    type: 'Mcp.Unavailable',
    message: expect.stringContaining('there is no program holdfast-no-such-program'),
  });
  expect(model.requests).toEqual([]);
});

test.concurrent('a server that does not answer holds a turn for a bounded time, and meanwhile everybody sees which and what to do', async () => {
  const limits = { connectTimeout: '100 milliseconds', maxConnectTimeout: '100 milliseconds' } as const;
  const agent = agentWith(mcpServer('docs', { url: 'http://127.0.0.1:1/mcp' }, limits));
  const model = scriptedModel([text('done')]);
  await withWorker({ ...agent, model }, async ({ start }) => {
    const turn = await start('Go.');
    const seen = (async () => {
      for await (const event of turn.events()) if (event.type === 'retry_waiting') return event.failure;
      return undefined;
    })();
    const words = /^The MCP server docs can't be reached: .* Start it, or check its url; with optional: true/;
    expect(await seen).toMatchObject({ type: 'Mcp.Unavailable', message: expect.stringMatching(words) });
    await expect(turn.result()).rejects.toMatchObject({ type: 'Mcp.Unavailable' });
  });
});

test.concurrent('a turn begins without the tools of an optional server that is not there', async () => {
  const missing = mcpServer('docs', { command: 'holdfast-no-such-program' }, { optional: true });
  const { server } = oddServer();
  const model = scriptedModel([toolCall('odd__echo', { text: 'alone' }), text('done')]);
  const { calls } = await testTurn(agentWith(missing, server), 'Go.', { model });
  expect(textIn(calls[0]?.result)).toBe('echo alone');
});

test.concurrent('what a server writes before it ends is told, without its secrets', async () => {
  const BROKEN = join(newFolder(), 'broken');
  const odd = oddServer({}, { BROKEN, KEY: 'very-secret' });
  const [, refused] = await resultsOf(odd.server, [toolCall('odd__die')], async () => {
    writeFileSync(BROKEN, '');
    return reply(toolCall('odd__echo', { text: 'x' }));
  });
  expect(refused).toMatchObject({ status: 'error', cause: 'tool_threw' });
  expect(textIn(refused)).toMatch(
    /The MCP server odd can't be reached: .* exit code 3\. It wrote: bad key \*\*\*$/,
  );
});

test.concurrent('a server over HTTP that was restarted is connected to again', async (context) => {
  const odd = await oddHttpServer(context);
  const [first, second] = await resultsOf(odd.server, [toolCall('odd__echo', { text: 'one' })], async () => {
    await odd.restart();
    return reply(toolCall('odd__echo', { text: 'two' }));
  });
  expect(textIn(first)).toBe('echo one');
  expect(textIn(second)).toBe('echo two');
  expect(odd.count('call echo')).toBe(2);
});

test.concurrent('a server over HTTP that dies in the middle of a call is noticed at once', async (context) => {
  const odd = await oddHttpServer(context);
  const [died, echoed] = await resultsOf(
    odd.server,
    [toolCall('odd__die')],
    [toolCall('odd__echo', { text: 'x' })],
  );
  expect(died).toMatchObject({ status: 'unknown', cause: 'server_lost' });
  expect(echoed).toMatchObject({ status: 'error' });
  expect(textIn(echoed)).toContain("can't be reached");
});

test.concurrent('a token comes from the environment, and a refused one is told by its name', async (context) => {
  process.env['TEST_MCP_TOKEN'] = 'right-token';
  const odd = await oddHttpServer(context, {}, { TOKEN: 'right-token' }, { tokenEnv: 'TEST_MCP_TOKEN' });
  const [ok, refused] = await resultsOf(odd.server, [toolCall('odd__echo', { text: 'in' })], async () => {
    await odd.restart();
    process.env['TEST_MCP_TOKEN'] = 'wrong-token';
    return reply(toolCall('odd__echo', { text: 'out' }));
  });
  expect(textIn(ok)).toBe('echo in');
  expect(refused?.status).toBe('error');
  expect(textIn(refused)).toContain('check the token in TEST_MCP_TOKEN');
  expect(textIn(refused)).not.toContain('wrong-token');
});
