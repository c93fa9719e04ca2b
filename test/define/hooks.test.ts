import { expect, test } from 'vitest';
import { Agents } from '../../src/activities/agents.js';
import { HookCalls } from '../../src/activities/hook-calls.js';
import { afterToolCall } from '../../src/activities/result-hooks.js';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { type Hooks, hooksOf } from '../../src/define/hooks.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';

function agentWith(...hooks: Hooks[]) {
  return defineAgent({ name: 'a', instructions: '', model: 'none', hooks });
}

test('a misspelled point, a name twice and a bad timeout are refused when the agent is defined', () => {
  const misspelled = { beforeTool: () => undefined } as Hooks;
  expect(() => agentWith(misspelled)).toThrow(
    'Agent a, hooks[0]: there is no "beforeTool"; there are name, timeout, beforeModelCall,',
  );
  expect(() => agentWith({ afterTurn: 'notify' } as never)).toThrow(
    'hooks[0].afterTurn: expected a function',
  );
  expect(() => agentWith({ name: 'x' }, { name: 'x' })).toThrow('two of them are named x');
  expect(() => agentWith({ name: 'a\nb' })).toThrow('hooks[0].name: use 1 to 64 letters');
  expect(() => agentWith({ timeout: '11 minutes' })).toThrow('hooks[0].timeout: at most 10 minutes');
  expect(() => agentWith({ timeout: -1 })).toThrow('hooks[0].timeout: -1 is not a duration');
});

// FA-077
test("the worker's hooks come after the agent's own, also for sub-agents, and share no name", () => {
  const below = defineAgent({ name: 'b', description: 'b', instructions: '', model: 'none' });
  const above = defineAgent({
    ...{ name: 'a', instructions: '', model: 'none', tools: [below] },
    hooks: [{ name: 'own' }],
  });
  const agents = new Agents([above], [], [{ name: 'common' }]);
  expect(agents.find('a', '1')?.hooks.map(({ name }) => name)).toEqual(['own', 'common']);
  expect(agents.find('b', '1')?.hooks.map(({ name }) => name)).toEqual(['common']);
  expect(() => new Agents([above], [], [{ name: 'own' }])).toThrow('both have hooks named own');
});

test('methods of an object keep their object', async () => {
  class Counter implements Hooks {
    seen = 0;
    afterToolCall() {
      this.seen += 1;
    }
  }
  const counter = new Counter();
  const { result } = await ran([{ afterToolCall: () => counter.afterToolCall() }, { name: 'own' }]);
  expect(result.content).toMatchObject([{ text: 'as it was' }]);
  expect(counter.seen).toBe(1);
});

async function ran(hooks: Hooks[]) {
  const calls = new HookCalls(hooksOf('Agent a', hooks), {
    ...{ agent: 'a', turnId: 't1', workflowId: 't1', iteration: 0, attempt: 1, metadata: undefined },
    signal: new AbortController().signal,
    isInterrupted: () => false,
    warn: () => undefined,
  });
  const given: ToolResultBlock = {
    ...{ type: 'tool_result', callId: 'c1', name: 'say', status: 'ok' },
    content: [{ type: 'text', id: 'c1.0', text: 'as it was' }],
    artifact: { sha256: '0'.repeat(64), bytes: 9 },
  };
  const artifacts = new Artifacts(localArtifacts(), undefined);
  const result = await afterToolCall(calls, artifacts, { input: {} }, given);
  return { result, records: calls.records };
}

test('a hook that takes too long, throws what is no error or gives nonsense changes nothing', async () => {
  const { result, records } = await ran([
    { timeout: 20, afterToolCall: () => new Promise(() => undefined) },
    { afterToolCall: () => Promise.reject('a text') },
    { afterToolCall: () => JSON.parse('{"result":7}') },
    { afterToolCall: () => JSON.parse('"text"') },
    { afterToolCall: () => JSON.parse('{"output":"x"}') },
  ]);
  expect(result.content).toMatchObject([{ text: 'as it was' }]);
  expect(result.artifact?.bytes).toBe(9);
  expect(records.map(({ did, text }) => `${did}: ${text}`)).toEqual([
    'failed: it took longer than 0.02 s',
    'failed: a text',
    'failed: its "result" is number, and is to be a text',
    'failed: it gave string, and is to give an object or nothing',
    'failed: it gave "output", which says nothing here; there are result, append',
  ]);
});

test('what is replaced can not be read by its artifact', async () => {
  const { result } = await ran([
    { afterToolCall: ({ text }) => ({ result: `${text}, and more` }) },
    { afterToolCall: ({ text }) => ({ result: `${text} \ud800`, append: 'the end' }) },
  ]);
  expect(result.content.map((block) => 'text' in block && block.text)).toEqual([
    'as it was, and more \ufffd',
    'the end',
  ]);
  expect(result.artifact).toBeUndefined();
});

test('notes are cut, and there are a hundred of them at most', async () => {
  const { records } = await ran([
    {
      afterToolCall(_done, { note }) {
        for (let count = 0; count < 200; count++) note('x'.repeat(1000));
      },
    },
  ]);
  expect(records).toHaveLength(100);
  expect(records[0]?.text?.length).toBeLessThanOrEqual(300);
});
