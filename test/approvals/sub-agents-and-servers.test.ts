import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { defineAgent } from '../../src/define/define-agent.js';
import type { PermissionOptions } from '../../src/define/permissions.js';
import { reply, type Script, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { endedTurn, PATIENCE } from '../interventions/ended-turn.js';
import { newFolder, oddServer } from '../mcp/odd-servers.js';
import { ask, subAgent } from '../sub-agents/agents.js';
import { textOfResult } from '../turn/agents.js';

const helpers = () =>
  ['allowed', 'denied', 'changed', 'ruled_out'].map((name) => subAgent(name, [text(name)]));

test('a call of a sub-agent waits for a person, and one that is denied is not started', async () => {
  const agent = defineAgent({
    name: 'caller',
    instructions: 'Ask.',
    model: scriptedModel([
      reply(ask('allowed'), ask('denied'), ask('changed'), ask('ruled_out')),
      text('done'),
    ]),
    tools: helpers(),
    permissions: { deny: ['ruled_out'] },
  });
  const asked: string[] = [];
  const { calls, outcome } = await testTurn(agent, 'Go.', {
    approve: ({ name }) => {
      asked.push(name);
      if (name === 'changed') return { arguments: { task: 'something else' } };
      return name === 'allowed' || { deny: 'no' };
    },
  });
  expect(asked).toEqual(['allowed', 'denied', 'changed']);
  expect(calls.map(({ result }) => result.cause ?? result.status)).toEqual([
    ...['ok', 'denied_by_person', 'ok', 'denied_by_rule'],
  ]);
  expect(outcome.steps[0]?.calls.map(({ subAgent: turn }) => turn !== undefined)).toEqual([
    ...[true, false, true, false],
  ]);
});

const schema = { type: 'object', properties: { text: { type: 'string' } } };

async function withServer(permissions: PermissionOptions, script: Script, approved: string[] = []) {
  const TOOLS = join(newFolder(), 'tools.json');
  const names = ['remove.all', 'remove/all', 'echo'];
  const listed = names.map((name) => ({ name, inputSchema: schema }));
  const read = { name: 'pid', inputSchema: schema, annotations: { readOnlyHint: true } };
  writeFileSync(TOOLS, JSON.stringify([...listed, read]));
  const { server } = oddServer({}, { TOOLS });
  const agent = defineAgent({
    name: 'served',
    instructions: 'Use the tools.',
    model: scriptedModel(script),
    tools: [server],
    permissions,
  });
  const { calls } = await testTurn(agent, 'Go.', {
    approve: ({ name, input }) => {
      approved.push(name);
      return JSON.stringify(input).includes('change') ? { arguments: { text: 'forbidden' } } : true;
    },
  });
  return { results: calls.map(({ result }) => result.cause ?? result.status) };
}

test("a server's tools that only read run, others wait, and in the mode plan they are denied", async () => {
  const both = reply(toolCall('odd__pid'), toolCall('odd__echo', { text: 'x' }));
  const asked: string[] = [];
  expect((await withServer({}, [both, text('done')], asked)).results).toEqual(['ok', 'ok']);
  expect(asked).toEqual(['odd__echo']);
  expect((await withServer({ mode: 'plan' }, [both, text('done')])).results).toEqual([
    'ok',
    'denied_by_rule',
  ]);
});

test('a rule denies a tool of a server whatever is listed beside it, and arguments that a person has put in', async () => {
  const all = scriptedAll('remove');
  const rules = { mode: 'yolo', deny: ['odd__remove_all'] } as const;
  const denied = await withServer(rules, [all, text('done')]);
  expect(denied.results).toEqual(['denied_by_rule', 'denied_by_rule']);
  const call = toolCall('odd__echo', { text: 'change' });
  const changed = await withServer({ deny: ['odd__echo(text: forbid*)'] }, [call, text('done')]);
  expect(changed.results).toEqual(['denied_by_rule']);
});

test('a search for tools can be asked about and denied like any other call', async () => {
  const find = (id: string, query: string) => ({ ...toolCall('find_tools', { query }), id });
  const { server } = oddServer();
  const { outcome, results } = await endedTurn(
    {
      script: [
        reply(find('yes', 'echo'), find('no', 'pid'), find('other', 'die'), find('never', 'secret')),
        text('ok'),
      ],
      agent: {
        tools: [server],
        findToolsBeyond: 0,
        permissions: { ask: ['find_tools'], deny: ['find_tools(secret*)'] },
      },
    },
    async ({ turn }) => {
      await vi.waitFor(async () => expect(await turn.requests()).toHaveLength(3), PATIENCE);
      await turn.deny('no');
      await turn.approve('other', { arguments: { query: 'x' } });
      await turn.approve('yes');
    },
  );
  expect(outcome?.type).toBe('completed');
  expect(results.map(({ cause, status }) => cause ?? status)).toEqual([
    ...['ok', 'denied_by_person', 'invalid_arguments', 'denied_by_rule'],
  ]);
  expect(textOfResult(results[0])).toContain('- odd__echo');
});

/** Calls each tool with that in its name. */
function scriptedAll(part: string): Script[number] {
  return (_messages, { tools }) =>
    reply(
      ...tools
        .map(({ name }) => name)
        .filter((name) => name.includes(part))
        .map((name) => toolCall(name)),
    );
}
