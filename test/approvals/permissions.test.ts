import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { askUser } from '../../src/define/ask-user.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import type { PermissionOptions } from '../../src/define/permissions.js';
import type { PermissionMode } from '../../src/shared/permissions.js';
import { reply, type Script, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { codingTools } from '../../src/tools/coding-tools.js';
import { endedTurn, untilEvent } from '../interventions/ended-turn.js';
import { agentWith, textOfResult } from '../turn/agents.js';

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-permissions-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

const write = (path: string) => toolCall('write_file', { path, content: 'x' });
const sh = (command: string) => toolCall('bash', { command });

async function coded(
  script: Script,
  permissions: PermissionOptions | undefined,
  options: { root?: string; mode?: PermissionMode; approve?: 'all' } = {},
) {
  const { root = folder(), ...turn } = options;
  const agent = agentWith(codingTools({ root }), { ...(permissions && { permissions }) });
  const tested = await testTurn(agent, 'go', { model: scriptedModel(script), ...turn });
  const results = tested.calls.map(({ result }) => result);
  return { ...tested, root, results, statuses: results.map(({ status, cause }) => cause ?? status) };
}

describe('the coding tools', () => {
  test('run without asking where nobody has set up permissions', async () => {
    const { statuses } = await coded([reply(write('a'), sh('true')), text('ok')], undefined);
    expect(statuses).toEqual(['ok', 'ok']);
  });

  test('are asked about by the mode, which a turn may give', async () => {
    const script = [reply(write('a'), sh('true'), toolCall('read_file', { path: 'a' })), text('ok')];
    const agent = agentWith(codingTools({ root: folder() }));
    const asked: string[] = [];
    const { calls } = await testTurn(agent, 'go', {
      model: scriptedModel(script),
      mode: 'accept-edits',
      approve: ({ name }) => asked.push(name) > 1,
    });
    expect(asked).toEqual(['bash']);
    expect(calls.map(({ result }) => result.status)).toEqual(['ok', 'denied', 'ok']);
  });

  test('are denied by rules, and the model reads by which', async () => {
    const permissions = { mode: 'yolo' as const, deny: ['write_file(secrets/**)', 'bash(rm *)'] };
    const { results, statuses, root } = await coded(
      [reply(write('x/../SECRETS/a'), sh('echo "$(rm -rf .)"'), write('b')), text('ok')],
      permissions,
    );
    expect(statuses).toEqual(['denied_by_rule', 'denied_by_rule', 'ok']);
    expect(textOfResult(results[0])).toContain('write_file(secrets/**)');
    expect(readdirSync(root)).toEqual(['b']);
  });

  test('"always" allows the command and no other', async () => {
    const script = [sh('echo a'), sh('echo a'), reply(sh('echo b'), sh('echo a; touch c')), text('ok')];
    const asked: string[] = [];
    const agent = agentWith(codingTools({ root: folder() }), { permissions: {} });
    await testTurn(agent, 'go', {
      model: scriptedModel(script),
      approve: ({ summary, always }) => {
        asked.push(summary);
        return summary === 'bash echo a' ? { always: always.length > 0 } : false;
      },
    });
    expect(asked).toEqual(['bash echo a', 'bash echo b', 'bash echo a; touch c']);
  });
});

describe('what was allowed', () => {
  test('is denied after all where its path has become another while it waited', async () => {
    const root = folder();
    mkdirSync(join(root, 'secrets'));
    mkdirSync(join(root, 'out'));
    const agent = { permissions: { deny: ['write_file(secrets/**)'] } };
    const tools = codingTools({ root });
    const { results } = await endedTurn(
      { script: [write('out/a'), text('ok')], tools, agent },
      async ({ turn }) => {
        const { callId } = await untilEvent(turn, 'approval_requested');
        renameSync(join(root, 'out'), join(root, 'was-out'));
        symlinkSync('secrets', join(root, 'out'));
        await turn.approve(callId);
      },
    );
    expect(results).toMatchObject([{ status: 'denied', cause: 'denied_by_rule' }]);
    expect(readdirSync(join(root, 'secrets'))).toEqual([]);
  });

  // MC-131
  test('a tool whose own policy fails is not run', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'pay',
      description: 'pay',
      input: z.object({ cents: z.number() }),
      approval: ({ cents }) => {
        if (cents < 0) throw new Error('no such sum');
        return cents > 100 ? 'deny' : 'allow';
      },
      run: () => String(++runs),
    });
    const script = [reply(...[-1, 5, 500].map((cents) => toolCall('pay', { cents }))), text('ok')];
    const { calls } = await testTurn(agentWith([tool]), 'go', { model: scriptedModel(script) });
    expect(calls.map(({ result }) => result.cause ?? result.status)).toEqual([
      'approval_failed',
      'ok',
      'denied_by_rule',
    ]);
    expect(runs).toBe(1);
  });
});

// MC-080, MC-081, MC-082, with section 0's corrections: siblings of the plan have their results, in request order
describe('the mode plan', () => {
  test('runs only tools that read, until a person has approved the plan; also in the next runs', async () => {
    const script = [
      reply(write('a'), toolCall('read_file', { path: 'b' })),
      toolCall('present_plan', { plan: '1. write a' }),
      reply(
        toolCall('present_plan', { plan: '1. write b' }),
        toolCall('read_file', { path: 'b' }),
        write('c'),
      ),
      write('b'),
      toolCall('present_plan', { plan: 'again' }),
      text('ok'),
    ];
    const agent = agentWith(codingTools({ root: folder() }), {
      permissions: { mode: 'plan' },
      iterationsPerRun: 1,
    });
    const model = scriptedModel(script);
    const { calls } = await testTurn(agent, 'go', {
      model,
      approve: ({ input, name }) =>
        name !== 'present_plan' || JSON.stringify(input).includes('write b') || { deny: 'not a' },
    });
    expect(calls.map(({ result }) => result.cause ?? result.status)).toEqual([
      'denied_by_rule',
      'tool_threw',
      'denied_by_person',
      ...['ok', 'tool_threw', 'denied_by_rule'],
      ...['ok', 'unknown_tool'],
    ]);
    expect(new Set(model.requests.map(({ instructions }) => instructions))).toEqual(new Set(['Test.']));
    const offered = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered.map((names) => names.includes('present_plan'))).toEqual([
      ...[true, true, true, false, false, false],
    ]);
  });
});

test('a rule that can not work is refused when the agent is defined, by name', () => {
  const define = (permissions: PermissionOptions) =>
    defineAgent({
      name: 'a',
      instructions: '',
      model: 'm',
      tools: codingTools({ root: folder() }),
      permissions,
    });
  expect(() => define({ deny: ['Bash(rm *)'] })).toThrow(
    /Agent a, permissions: the rule Bash\(rm \*\).*bash/,
  );
  expect(() => define({ allow: ['bash(ls'] })).toThrow(/Agent a, permissions: The rule "bash\(ls"/);
  expect(() => define({ mode: 'fast' as 'yolo' })).toThrow(/default, accept-edits, plan, yolo/);
  expect(() => define({ allow: ['dosc:search'] })).toThrow('is about none of its MCP servers');
  expect(() => define({ allow: ['mcp__docs__*', 'mcp__docs__search'] })).not.toThrow();
});

test('secrets of the worker do not reach a command that was not given them', async () => {
  vi.stubEnv('SHOP_API_KEY', 'hidden-one');
  vi.stubEnv('INNOCENT', `sk-proj-${'a'.repeat(40)}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { results } = await coded([sh('env'), text('ok')], { mode: 'yolo' });
  expect(textOfResult(results[0])).toContain('HOLDFAST_IDEMPOTENCY_KEY');
  expect(textOfResult(results[0])).not.toMatch(/hidden-one|sk-proj/);
});

test('a test whose agent waits for somebody fails by name', async () => {
  const agent = agentWith([...codingTools({ root: folder() }), askUser()]);
  const asked = (script: Script) => testTurn(agent, 'go', { model: scriptedModel(script), mode: 'default' });
  await expect(asked([sh('true')])).rejects.toThrow(/"bash true" needs an approval.*option "approve"/);
  const question = [toolCall('ask_user', { question: 'Why?' })];
  await expect(asked(question)).rejects.toThrow(/the agent asks: Why\?.*option "answer"/);
});
