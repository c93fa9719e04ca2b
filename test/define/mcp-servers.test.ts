import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { mcpServer } from '../../src/define/mcp-server.js';
import { mcpServers } from '../../src/define/mcp-servers-json.js';

const of = (variable: string) => `\${${variable}}`;

test('the JSON that people have gives servers, with values of the environment in it', () => {
  const json = JSON.stringify({
    mcpServers: {
      'My Docs': {
        command: 'npx',
        args: ['-y', 'docs', `--level=${of('LEVEL:-low')}`],
        env: { KEY: `${of('DOCS_KEY')}` },
        type: 'stdio',
      },
      tickets: {
        type: 'http',
        url: `https://${of('HOST')}/mcp`,
        headers: { Authorization: `Bearer ${of('env:TOKEN')}` },
        autoApprove: [],
      },
      off: { command: 'nothing', disabled: true },
    },
  });
  const env = { DOCS_KEY: 'k', HOST: 'example.com', TOKEN: 't' };
  const made = mcpServers(json, { env, options: { tickets: { timeout: '5 seconds' } } });
  expect(made.map(({ name, where, timeoutMs }) => ({ name, where, timeoutMs }))).toEqual([
    {
      name: 'My-Docs',
      where: { command: 'npx', args: ['-y', 'docs', '--level=low'], env: { KEY: 'k' } },
      timeoutMs: 60_000,
    },
    {
      name: 'tickets',
      where: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer t' } },
      timeoutMs: 5000,
    },
  ]);
});

test.each([
  ['{', 'it is not JSON'],
  [{ servers: {} }, 'expected an object with the field "mcpServers"'],
  [{ mcpServers: { a: 1 } }, 'mcpServers.a: expected an object'],
  [{ mcpServers: { a: {} } }, 'give it a command, or a url'],
  [{ mcpServers: { a: { command: 'x', url: 'http://x' } } }, 'a command and a url'],
  [{ mcpServers: { a: { command: 'x', args: 'y' } } }, 'mcpServers.a.args: expected a list of texts'],
  [
    { mcpServers: { a: { command: 'x', env: { K: `${of('NOT_SET')}` } } } },
    'mcpServers.a.env.K: the environment variable NOT_SET is not set',
  ],
  [{ mcpServers: { a: { type: 'sse', url: 'http://x' } } }, 'transport of 2024'],
  [{ mcpServers: { a: { url: 'ftp://x' } } }, 'MCP server a: its url is none'],
  [
    { mcpServers: { 'a b': { command: 'x' }, 'a-b': { command: 'x' } } },
    'two of its servers would be named a-b',
  ],
])('JSON that is none is refused: %j', (json, problem) => {
  expect(() => mcpServers(json, { env: {} })).toThrow(problem);
});

test('what can be wrong with a server is wrong when it is defined', () => {
  expect(() => mcpServer('a_', { command: 'x' })).toThrow('MCP server name "a_"');
  expect(() => mcpServer('a__b', { command: 'x' })).toThrow('MCP server name "a__b"');
  expect(() => mcpServer('a', { command: ' ' })).toThrow('its command is empty');
  expect(() => mcpServer('a', { url: 'https://user:word@host' })).toThrow('has a password in it');
  expect(() => mcpServer('a', { url: 'https://h', headers: { 'bad name': 'x' } })).toThrow(
    'its header "bad name"',
  );
  expect(() => mcpServer('a', { url: 'https://h', headers: { authorization: 'x' }, tokenEnv: 'T' })).toThrow(
    'tokenEnv',
  );
  expect(() => mcpServer('a', { command: 'x' }, { tools: [] })).toThrow('its list of tools is empty');
  expect(() => mcpServer('a', { command: 'x' }, { timeout: 5000, maxTimeout: 10 })).toThrow('maxTimeout');
});

test('an agent has each server, and the name find_tools, once', () => {
  const server = mcpServer('docs', { command: 'x' });
  const own = defineTool({ name: 'find_tools', description: '', input: z.object({}), run: () => '' });
  const agent = { name: 'a', instructions: '', model: 'm' };
  expect(() => defineAgent({ ...agent, tools: [server, server] })).toThrow(
    'two of its MCP servers are named docs',
  );
  expect(() => defineAgent({ ...agent, tools: [server, own] })).toThrow('find_tools');
  expect(defineAgent({ ...agent, tools: [own] }).tools).toHaveLength(1);
});
