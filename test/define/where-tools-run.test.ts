import { expect, test } from 'vitest';
import { z } from 'zod';
import { compactionSettings } from '../../src/activities/compaction-settings.js';
import { resolveSettings } from '../../src/activities/settings.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool, type ToolOptions } from '../../src/define/define-tool.js';
import { type RemoteToolOptions, remoteTool } from '../../src/define/remote-tool.js';

const input = z.object({ text: z.string() });
const local = (options: Partial<ToolOptions<typeof input, string>> = {}) =>
  defineTool({
    ...{ name: 'quick', description: 'quick', input, idempotent: true, execution: 'local' },
    run: () => 'done',
    ...options,
  });
const remote = (options: Partial<RemoteToolOptions<typeof input>> = {}) =>
  remoteTool({ name: 'far', description: 'far', input, taskQueue: 'python', ...options });

test.each<[string, Partial<ToolOptions<typeof input, string>>, string]>([
  [
    'that may run only once',
    { idempotent: false },
    'Say idempotent: true if it may, else leave execution out.',
  ],
  ['that may take longer than a second', { timeout: '2 seconds' }, 'a local tool may take 1 second at most'],
  [
    'of a kind that there is not',
    { execution: 'fast' as 'local' },
    "use 'activity' or 'local', not \"fast\"",
  ],
])('a local tool %s is refused when it is defined', (_, options, problem) => {
  expect(() => local(options)).toThrow(problem);
  expect(() => local(options)).toThrow('Tool quick');
});

test.each<[string, Partial<RemoteToolOptions<typeof input>>, string]>([
  ['without a task queue', { taskQueue: ' ' }, 'Remote tool far, taskQueue: give its name'],
  ['with an activity of ours', { activity: 'holdfast.callModel' }, '"holdfast.callModel" is taken'],
  ['with the activity default', { activity: 'default' }, '"default" is taken'],
  ['with no duration', { heartbeatTimeout: 0 }, 'Remote tool far, heartbeatTimeout: 0 is not a duration'],
  ['with a bad name', { name: 'far away' }, 'Tool name "far away"'],
  ['with a name of ours', { name: 'read_artifact' }, 'Tool name "read_artifact"'],
])('a remote tool %s is refused when it is defined', (_, options, problem) => {
  expect(() => remote(options)).toThrow(problem);
});

test('a turn is settled with where its tools run', () => {
  const tools = [local(), remote({ activity: 'run', heartbeatTimeout: '5 seconds' })];
  const agent = defineAgent({ name: 'tester', instructions: 'Test.', model: 'none', tools });
  const compaction = compactionSettings(agent.compaction, 'none', { instructions: '', tools: [] });
  expect(resolveSettings(agent, tools, 'none', { limits: {} }, undefined, compaction).tools).toMatchObject([
    { name: 'quick', local: true, timeoutMs: 1000 },
    {
      name: 'far',
      remote: {
        ...{ taskQueue: 'python', activity: 'run', queueTimeoutMs: 60_000, heartbeatTimeoutMs: 5000 },
        maxResultBytes: 100_000,
      },
    },
  ]);
});
