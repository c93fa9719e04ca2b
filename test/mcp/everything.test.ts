import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type McpServer, mcpServer } from '../../src/define/mcp-server.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';
import { reply, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { agentWith, newFolder, resultsOf, textIn } from './odd-servers.js';

const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const memory = require.resolve('@modelcontextprotocol/server-memory/dist/index.js');

/** Each tool of server-everything, with arguments for it and what its result is to say. */
const expected: [name: string, args: Record<string, string | number | boolean>, shown: string | RegExp][] = [
  ['echo', { message: 'hello' }, 'Echo: hello'],
  [
    'get-annotated-message',
    { messageType: 'error', includeImage: true },
    'Error: Operation failed\n[Kept as image.png: image/png, 4033 bytes]\n<image>',
  ],
  ['get-env', {}, /"PATH": /],
  [
    'get-resource-links',
    { count: 2 },
    /\[resource Text Resource 2 at demo:\/\/resource\/dynamic\/text\/2: text\/plain, .*\]/,
  ],
  [
    'get-resource-reference',
    { resourceType: 'Text', resourceId: 1 },
    /\[resource demo:.*\]\nResource 1: This is a plaintext/,
  ],
  ['get-roots-list', {}, /URI: file:\/\/\/tmp/],
  [
    'get-structured-content',
    { location: 'New York' },
    '{"conditions":"Cloudy","humidity":82,"temperature":33}',
  ],
  ['get-sum', { a: 2, b: 40 }, 'The sum of 2 and 40 is 42.'],
  [
    'get-tiny-image',
    {},
    /^Here's the image you requested:\n\[Kept as image-\d\.png: image\/png, 4033 bytes\]\n<image>\nThe image above is the MCP logo\.$/,
  ],
  [
    'gzip-file-as-resource',
    { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' },
    /^\[Kept as x\.gz: application\/gzip, 25 bytes\]$/,
  ],
  ['toggle-simulated-logging', {}, /Started simulated, random-leveled logging/],
  ['toggle-subscriber-updates', {}, /Started simulated resource updated notifications/],
  [
    'trigger-long-running-operation',
    { duration: 1, steps: 4 },
    'Long running operation completed. Duration: 1 seconds, Steps: 4.',
  ],
  ['simulate-research-query', { topic: 'tea' }, /# Research Report: tea/],
];

async function callEach(server: McpServer, tools: typeof expected) {
  const calls = tools.map(([name, args]) => toolCall(`all__${name}`, args));
  const model = scriptedModel([reply(...calls), text('done')]);
  const tested = await testTurn(agentWith(server), 'Go.', { model });
  const offered = model.requests[0]?.tools.map(({ name }) => name.replace('all__', '')).sort();
  return { offered, results: tested.calls.map(({ result }) => result) };
}

function look(results: readonly ToolResultBlock[], tools: typeof expected): void {
  for (const [index, [name, , shown]] of tools.entries()) {
    expect(results[index], `${name}: ${textIn(results[index])}`).toMatchObject({
      status: 'ok',
      name: `all__${name}`,
    });
    if (typeof shown === 'string') expect(textIn(results[index])).toBe(shown);
    else expect(textIn(results[index])).toMatch(shown);
  }
}

test.concurrent('every tool of server-everything is called, and its result can be read', async () => {
  const where = { command: process.execPath, args: [everything], roots: ['/tmp'] };
  const { offered, results } = await callEach(mcpServer('all', where), expected);
  expect(offered).toEqual(expected.map(([name]) => name).sort());
  look(results, expected);
});

test.concurrent('a task that takes too long ends at the hard cap', async () => {
  const where = { command: process.execPath, args: [everything] };
  const server = mcpServer('all', where, { timeout: 1500, maxTimeout: 1500 });
  const [result] = await resultsOf(server, [toolCall('all__simulate-research-query', { topic: 'tea' })]);
  expect(result).toMatchObject({ status: 'unknown', cause: 'server_lost' });
  expect(textIn(result)).toContain('within 1.5 s');
});

test.concurrent('server-everything over streamable HTTP', async ({ onTestFinished }) => {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/mcp`;
  await vi.waitFor(() => fetch(url), { timeout: 20_000 });
  // The slow ones were called over stdio.
  const tools = expected.filter(([name]) => !['simulate-research-query', 'get-roots-list'].includes(name));
  const { results } = await callEach(mcpServer('all', { url }), tools);
  look(results, tools);
});

test.concurrent('server-filesystem writes and reads where it may, and nowhere else', async () => {
  const folder = realpathSync(newFolder());
  writeFileSync(join(folder, 'a.txt'), 'first');
  const server = mcpServer('fs', { command: process.execPath, args: [filesystem, folder] });
  const [read, written, refused] = await resultsOf(
    server,
    [toolCall('fs__read_text_file', { path: join(folder, 'a.txt') })],
    [toolCall('fs__write_file', { path: join(folder, 'b.txt'), content: 'second' })],
    [toolCall('fs__read_text_file', { path: '/etc/hostname' })],
  );
  expect(textIn(read)).toContain('first');
  expect(written?.status).toBe('ok');
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('second');
  expect(refused).toMatchObject({ status: 'error', cause: 'tool_threw' });
  expect(textIn(refused)).toContain('Access denied');
});

test.concurrent('server-memory remembers over calls', async () => {
  const env = { MEMORY_FILE_PATH: join(newFolder(), 'memory.json') };
  const server = mcpServer('memory', { command: process.execPath, args: [memory], env });
  const entity = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
  const [, found] = await resultsOf(
    server,
    [toolCall('memory__create_entities', { entities: [entity] })],
    [toolCall('memory__search_nodes', { query: 'programs' })],
  );
  expect(textIn(found)).toContain('"name":"Ada"');
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(probe.listening).toBe(true));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
