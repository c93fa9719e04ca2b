// Tools that are more than a function in the worker, and what is around calls.
import { createRequire } from 'node:module';
import { z } from 'zod';
import { mcpServer, remoteTool, retryable } from '../../../dist/index.js';
import { reply, text, toolCall } from '../../../dist/testing/index.js';
import { ask, helpers } from '../helper-agents.mjs';
import { untilAsked } from '../people.mjs';
import { FOREIGN_QUEUE } from '../record-history.mjs';
import { giving, tool, tools, untilStopped } from '../recorded-tools.mjs';

const more = [
  tool('busy', (_args, { attempt }) => (attempt === 1 ? Promise.reject(new Error('busy')) : 'ok'), {
    idempotent: true,
    retry: { attempts: 3, initialInterval: 1 },
    setup: () => 'set up',
    output: z.string(),
  }),
  tool('edit', ({ text: said }) => said ?? '', {
    parallel: false,
    concurrencyKey: ({ text: said }) => said?.charAt(0),
    approval: ({ text: said }) => (said?.startsWith('a') ? 'ask' : 'allow'),
  }),
];
const edit = (said) => toolCall('edit', { text: said });

let tries = 0;
const inTask = { idempotent: true, execution: 'local' };
const local = [
  tool('quick', ({ text: said }) => said ?? '', inTask),
  tool('slow', (_args, { signal }) => untilStopped(signal), { ...inTask, timeout: 100 }),
  tool(
    'not_yet',
    () => {
      tries += 1;
      if (tries === 1) throw retryable(new Error('not yet'));
      return 'now';
    },
    inTask,
  ),
];

const remote = (name) =>
  remoteTool({
    name,
    description: name,
    input: z.object({ text: z.string().optional() }),
    taskQueue: name === 'nobody' ? 'recorded-nobody' : FOREIGN_QUEUE,
    queueTimeout: 2000,
    ...(name === 'say_asked' && { approval: 'ask' }),
  });

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const server = mcpServer('everything', { command: process.execPath, args: [everything] });

export const toolKinds = {
  artifacts: {
    script: [
      reply(toolCall('draw'), toolCall('draw')),
      toolCall('look', { at: 'b.txt' }),
      toolCall('look', { at: 'a-2.txt' }),
      text('done'),
    ],
    agent: { tools: giving },
  },
  'carried-artifacts': {
    script: [toolCall('draw'), toolCall('draw'), toolCall('look', { at: 'a-2.txt' }), text('done')],
    agent: { tools: giving, iterationsPerRun: 3 },
  },
  'mcp-tools': {
    script: [
      reply(toolCall('everything__echo', { message: 'x' }), toolCall('everything__nope')),
      text('done'),
    ],
    agent: { tools: [...tools, server] },
  },
  'asked-mcp-tools': {
    script: [
      toolCall('find_tools', { query: 'echo' }),
      reply(toolCall('everything__echo', { message: 'x' }), toolCall('everything__echo', { message: 'y' })),
      text('done'),
    ],
    agent: {
      tools: [...tools, server],
      findToolsBeyond: 0,
      permissions: { ask: ['find_tools', 'everything:echo'] },
    },
    asks: async (turn) => {
      const [found] = await untilAsked(turn, 1);
      await turn.approve(found);
      const [, one, other] = await untilAsked(turn, 3);
      await turn.approve(other, { arguments: { message: 'z' } });
      await turn.deny(one);
    },
  },
  'local-tools': {
    script: [
      reply(toolCall('quick', { text: 'x' }), toolCall('echo'), toolCall('slow'), toolCall('not_yet')),
      toolCall('quick'),
      text('done'),
    ],
    agent: { tools: [...tools, ...local] },
  },
  'remote-tools': {
    script: [
      reply(
        toolCall('say', { text: 'x' }),
        toolCall('show'),
        toolCall('throws'),
        toolCall('nobody'),
        toolCall('say_asked'),
      ),
      text('done'),
    ],
    agent: { tools: ['say', 'show', 'throws', 'nobody', 'say_asked'].map(remote) },
    foreign: {
      say: ({ text: said }) => said ?? 'nothing',
      show: () => ({ type: 'image', mediaType: 'image/png', data: 'aGk=' }),
      throws: () => Promise.reject(new Error('no')),
      say_asked: ({ text: said }) => said,
    },
    asks: async (turn) => {
      const [callId] = await untilAsked(turn, 1);
      await turn.approve(callId, { arguments: { text: 'better' } });
    },
  },
  'retried-tool': { script: [toolCall('busy'), text('done')], agent: { tools: more } },
  'keyed-calls': {
    script: [
      reply(edit('b1'), edit('c1'), edit('b2'), edit('c2')),
      reply(edit('a1'), edit('b1'), edit('a2'), edit('b2')),
      text('done'),
    ],
    agent: { tools: more },
    asks: async (turn) => {
      const [first, second] = await untilAsked(turn, 2);
      await turn.approve(second);
      await turn.approve(first, { arguments: { text: 'changed' } });
    },
  },
  hooks: {
    script: [
      reply(ask('helps'), toolCall('echo', { text: 'x' }), toolCall('echo', { text: 'push' })),
      toolCall('alone'),
      text('done'),
    ],
    agent: {
      tools: helpers,
      hooks: [
        {
          name: 'guard',
          beforeModelCall: () => ({ append: 'Be brief.' }),
          beforeToolCall: ({ name, arguments: { text: said } }) => {
            if (said === 'push') return { block: 'no pushes' };
            return name === 'helps' ? { arguments: { task: 'something else' } } : undefined;
          },
          afterToolCall: ({ text: said }) => ({ result: `${said}, as it was seen` }),
          afterTurn: (_turn, { note }) => note('it has ended'),
        },
      ],
    },
  },
};
