import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { requestText } from '../../src/cli/people/approvals-command.js';
import { deskAt } from '../../src/cli/people/ask-in-terminal.js';
import { askUser } from '../../src/define/ask-user.js';
import {
  reply,
  type Script,
  scriptedModel,
  serveScriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { resultsOf } from '../interventions/ended-turn.js';
import { ask, subAgent } from '../sub-agents/agents.js';
import { holdfast } from '../support/run-cli.js';
import { agentWith, countedTool, textOfResult } from '../turn/agents.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const cli = async (...args: string[]) => await holdfast(args).finished;

test('a run without a terminal says how to decide, and goes on when that is done from another one', async () => {
  const root = folder();
  const served = await serveScriptedModel([
    reply(toolCall('bash', { command: 'touch yes' }), toolCall('bash', { command: 'touch no' })),
    text('done'),
  ]);
  onTestFinished(() => served.close());
  const turnId = `people-${Date.now()}`;
  const run = holdfast(['run', '-w', root, '--mode', 'default', '--turn-id', turnId, 'Go.'], {
    OPENAI_BASE_URL: served.url,
    OPENAI_MODEL: 'scripted',
  });
  await run.printed(`holdfast approve ${turnId} call_0_1`);
  const [several, nope, one, shown] = await Promise.all([
    cli('approve', turnId),
    cli('approve', turnId, 'nope'),
    cli('approvals', turnId),
    cli('show', turnId),
  ]);
  expect(shown.stdout).toContain('a person: bash touch yes (call_0_0)');
  expect(several.stderr).toContain('Several calls of the turn wait');
  expect(nope.exitCode).toBe(2);
  expect(one.stdout).toContain('"command": "touch yes"');
  const listed = await vi.waitFor(async () => {
    const { stdout } = await cli('approvals');
    expect(stdout).toContain(turnId);
    return stdout;
  }, 10_000);
  expect(listed).toMatch(/call_0_0 {2}approval: bash touch yes/);
  expect(await cli('deny', turnId, 'call_0_1', '--reason', 'not that')).toMatchObject({ exitCode: 0 });
  expect(await cli('approve', turnId)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('It counts'),
  });
  const { exitCode, stdout } = await run.finished;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('denied');
  expect([existsSync(join(root, 'yes')), existsSync(join(root, 'no'))]).toEqual([true, false]);
  expect((await cli('approvals', turnId)).stdout).toContain('waits for no person');
});

/** A turn watched at a terminal where somebody types these lines, one for each prompt. */
async function typed(script: Script, lines: readonly string[]) {
  const pay = countedTool('pay', {}, () => 'paid', { approval: 'ask' });
  const clerk = subAgent('clerk', [toolCall('pay'), text('done')], { tools: [pay.tool] });
  const agent = agentWith([pay.tool, askUser(), clerk], { model: scriptedModel(script) });
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const waiting = [...lines];
  let shown = '';
  output.on('data', (bytes) => {
    shown += String(bytes);
    if (!shown.endsWith('> ')) return;
    shown = '';
    const line = waiting.shift();
    if (line !== undefined) setImmediate(() => input.write(`${line}\n`));
  });
  const notes: string[] = [];
  return await withWorker(agent, async ({ start }) => {
    const turn = await start('Go.');
    const streams = { input, output } as unknown as { input: NodeJS.ReadStream; output: NodeJS.WriteStream };
    const desk = deskAt(turn, (note) => notes.push(note), streams);
    for await (const event of turn.events()) desk.hear(event);
    desk.close();
    const { messages } = await turn.result();
    return { results: resultsOf(messages).map(textOfResult), runs: pay.runs, notes, left: waiting };
  });
}

test('at a terminal the person is asked: yes, no and why, always, an answer by its number', async () => {
  const script = [
    reply(toolCall('pay'), toolCall('pay')),
    toolCall('ask_user', { question: 'Which?', choices: ['red', 'blue'] }),
    ask('clerk'),
    toolCall('pay'),
    toolCall('pay'),
    text('done'),
  ];
  const { results, runs, notes, left } = await typed(script, ['what', 'y', 'n no money', '2', 'y', 'a']);
  expect(results).toEqual(['paid', expect.stringContaining('no money'), 'blue', 'done', 'paid', 'paid']);
  expect(runs).toHaveLength(4);
  expect(notes.join('\n')).toMatch(/of the sub-agent's turn [\w-]+\/clerk/);
  expect(notes.join('\n')).toContain('“what” is no answer.');
  expect(notes.join('\n')).toContain('always would allow: pay');
  expect(left).toEqual([]);
});

test("what a sub-agent waits for is listed and decided by its caller's id, or by its own", async () => {
  const pay = countedTool('pay', {}, () => 'paid', { approval: 'ask' });
  const both = reply(toolCall('pay'), toolCall('ask_user', { question: 'Which?' }));
  const clerk = subAgent('clerk', [both, text('done')], { tools: [pay.tool, askUser()] });
  const agent = agentWith([clerk], { model: scriptedModel([ask('clerk'), text('done')]) });
  await withWorker(agent, async ({ start }) => {
    const turn = await start('Go.', { turnId: `people-${Date.now()}-below` });
    const below = `${turn.turnId}/clerk`;
    await vi.waitFor(async () => expect(await turn.requests()).toHaveLength(2), 10_000);
    const listed = await cli('approvals', turn.turnId);
    expect(listed.stdout).toMatch(new RegExp(`pay .*\\n  of the sub-agent's turn ${below}`));
    const [answered, approved] = await Promise.all([
      cli('answer', turn.turnId, 'this one'),
      cli('approve', below, 'call_0_0'),
    ]);
    expect([answered, approved]).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    expect((await turn.result()).type).toBe('completed');
  });
  expect(pay.runs).toHaveLength(1);
});

test('a decision without a worker is kept, and the command ends all the same', async () => {
  const pay = countedTool('pay', {}, () => 'paid', { approval: 'ask' });
  const agent = agentWith([pay.tool], { model: scriptedModel([toolCall('pay'), text('done')]) });
  const turn = await withWorker(agent, async ({ start }) => {
    const started = await start('Go.', { turnId: `people-${Date.now()}-alone` });
    await vi.waitFor(async () => expect(await started.requests()).toHaveLength(1), 10_000);
    return started;
  });
  const both = await cli('approve', turn.turnId, '--always', '--arguments', '{}');
  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^Give --always or --arguments/) });
  const kept = await cli('approve', turn.turnId);
  expect(kept).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('It is kept') });
});

test('a person is shown what nobody sees, and a plan as it is read', () => {
  const event = {
    v: 1,
    seq: 1,
    turnId: 't',
    iteration: 0,
    attempt: 0,
    at: '',
    callId: 'c',
    name: 'bash',
  } as const;
  const always: string[] = [];
  const asked = {
    ...event,
    type: 'approval_requested',
    summary: '',
    why: 'the mode default',
    always,
  } as const;
  const hidden = requestText({ ...asked, input: { command: 'rm\u200b \u202ex\u001b[2J' } });
  expect(hidden).toContain('"command": "rm\\u{200b} \\u{202e}x\\u001b[2J"');
  const plan = requestText({ ...asked, input: { plan: '1. read\n2. write\u001b[2J', more: { a: 1 } } });
  expect(plan).toBe(
    'c  bash (the mode default)\n  "plan":\n    1. read\n    2. write\\u{1b}[2J\n  "more": {\n    "a": 1\n  }\n',
  );
});
