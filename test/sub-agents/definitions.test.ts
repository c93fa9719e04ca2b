import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/define/define-agent.js';
import { scriptedModel, text, withWorker } from '../../src/testing/index.js';
import { countedTool } from '../turn/agents.js';
import { subAgent } from './agents.js';

const define = (name: string, tools: Parameters<typeof defineAgent>[0]['tools'] = [], more = {}) =>
  defineAgent({ name, instructions: 'Lead.', model: scriptedModel([text('hi')]), tools, ...more });

describe('an agent is refused', () => {
  const helper = subAgent('helper', []);

  // FA-034, SM-102
  test('with two sub-agents of one name, or a tool and a sub-agent of one name', () => {
    const words = 'Agent lead: two of its tools are named helper.';
    expect(() => define('lead', [helper, subAgent('helper', [])])).toThrow(words);
    expect(() => define('lead', [countedTool('helper', {}).tool, helper])).toThrow(words);
  });

  // SM-102
  test('with a sub-agent or a tool of its own name', () => {
    const words = 'Agent helper: one of its tools has its own name.';
    expect(() => define('helper', [helper])).toThrow(words);
    expect(() => define('helper', [countedTool('helper', {}).tool])).toThrow(words);
  });

  test('with a sub-agent that has no description, or a name that no tool can have', () => {
    expect(() => define('lead', [define('helper')])).toThrow('its sub-agent helper needs a description');
    expect(() => define('lead', [subAgent('v1.2', [])])).toThrow('its sub-agent v1.2 is a tool of that name');
    expect(() => define('lead', [subAgent('read_artifact', [])])).toThrow('its sub-agent read_artifact');
  });

  test('with a depth that is none', () => {
    expect(() => define('lead', [helper], { limits: { depth: -1 } })).toThrow('limits.depth');
    expect(define('lead', [helper], { limits: { depth: 0 } }).limits.depth).toBe(0);
  });
});

test('a worker serves the sub-agents of its agents, and those of theirs, by their own names', async () => {
  const inner = subAgent('inner', [text('inner here')]);
  const outer = subAgent('outer', [], { tools: [inner] });
  await withWorker(define('lead', [outer, inner]), async ({ client, taskQueue }) => {
    const turn = await client.start('inner', 'hello', { taskQueue });
    expect((await turn.result()).text).toBe('inner here');
  });
});

test('a worker refuses two different agents of one name and version, wherever they stand', async () => {
  const lead = define('lead', [subAgent('helper', [])]);
  const other = define('other', [subAgent('helper', [])]);
  await expect(withWorker(lead, async () => undefined, { agents: [lead, other] })).rejects.toThrow(
    'Two agents are named helper, version 1; sub-agents count, too.',
  );
});
