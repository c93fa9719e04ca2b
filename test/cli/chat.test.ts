import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Message, textOf } from '../../src/shared/messages.js';
import { reply, type Script, serveScriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testPlace } from '../../src/testing/test-environment.js';
import { hasPython, holdfastOnTerminal } from '../support/on-terminal.js';
import { holdfast } from '../support/run-cli.js';

type Served = Awaited<ReturnType<typeof modelOf>>;

async function modelOf(script: Script) {
  const served = await serveScriptedModel(script);
  onTestFinished(() => served.close());
  return { env: { OPENAI_BASE_URL: served.url, OPENAI_MODEL: 'scripted' }, requests: served.requests };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-chat-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const nothing: Message = { id: '', role: 'user', content: [] };
const CTRL_C = '\u0003';

describe.runIf(hasPython)('at a terminal', () => {
  test('a person is asked, joins what runs, interrupts, leaves, and comes back to it', async () => {
    const root = folder();
    const go = join(root, 'go');
    const { env, requests }: Served = await modelOf([
      (messages) =>
        textOf(messages.at(-1) ?? nothing).includes('<conversation>')
          ? reply(text('A summary.'), { delayMs: requests.length > 4 ? 0 : Number.POSITIVE_INFINITY })
          : toolCall('bash', { command: `until [ -e ${go} ]; do sleep 0.05; done` }),
      (messages) => text(`You said: ${textOf(messages.at(-1) ?? nothing)}.`),
      reply(text('never'), { delayMs: Number.POSITIVE_INFINITY }),
    ]);
    const sessionId = `chat-${Date.now()}`;
    const chat = holdfastOnTerminal(['chat', sessionId, '-w', root, '--mode', 'default'], env);
    await chat.shows('> ');
    chat.type('Wait for it.\r');
    await chat.shows('y yes, n no, a always for this session, e edit> ');
    chat.type('take your time\r');
    await chat.shows('“take your time” is no answer.');
    await chat.shows('e edit> ');
    chat.type('y\r');
    await chat.shows('→ bash until');
    chat.type('\r');
    await chat.shows('joins the running turn');
    writeFileSync(go, '');
    await chat.shows('You said: take your time.');
    await chat.shows('completed · 2 model calls');
    chat.type('Again.\r');
    await chat.shows('Again.');
    await chat.shows('steer> ');
    chat.type('/queue Later.\r');
    await chat.shows('waits for its turn');
    chat.type('/withdraw\r');
    await chat.shows('Withdrawn: “Later.”');
    await chat.shows('steer> Later.');
    await vi.waitFor(() => expect(requests).toHaveLength(3), 10_000);
    chat.type(CTRL_C);
    await chat.shows('Interrupting the turn. Ctrl-C once more leaves.');
    await chat.shows('interrupted ·');
    chat.type(CTRL_C);
    const { exitCode, shown } = await chat.finished;
    expect(exitCode).toBe(130);
    expect(shown).toContain(`Come back: holdfast chat ${sessionId}`);

    const back = holdfastOnTerminal(['chat', sessionId], env);
    await back.shows('You said: take your time.');
    await back.shows('> Again.');
    back.type('/compact\r');
    await back.shows('compacts what was said. Ctrl-C ends that');
    await vi.waitFor(() => expect(requests).toHaveLength(4), 10_000);
    back.type(CTRL_C);
    await back.shows('Ending the compaction.');
    await back.shows('Nothing was changed: It was interrupted.');
    const session = (await testPlace()).client.session(sessionId);
    await session.compact();
    await back.shows('the transcript stays as it is: It did not get smaller by that.');
    back.type('/rollback\r');
    await back.shows('Forgotten: “Again.”');
    await back.shows('> Again.');
    await session.close();
    await back.shows('The session has ended.');
    await back.shows(`Read it: holdfast session transcript ${sessionId}`);
    expect((await back.finished).exitCode).toBe(0);
  });
});

test('lines of a pipe are messages, one after the other; the session is listed with what it has cost', async () => {
  const { env } = await modelOf([text('one'), text('two')]);
  const sessionId = `chat-piped-${Date.now()}`;
  const args = [resolve('dist/cli/main.js'), 'chat', sessionId, '-w', folder(), '--json'];
  const chat = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  chat.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  chat.stdin.end('First.\nSecond.\n');
  const [exitCode] = await once(chat, 'close');
  expect(exitCode).toBe(0);
  const lines = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toEqual({ v: 1, type: 'session', sessionId });
  expect(lines.filter(({ type }) => type === 'turn_started').map(({ prompt }) => prompt)).toEqual([
    'First.',
    'Second.',
  ]);
  expect(lines.filter(({ type }) => type === 'outcome').map(({ outcome }) => outcome.text)).toEqual([
    'one',
    'two',
  ]);
  const [shown, transcript] = await Promise.all([
    holdfast(['session', 'show', sessionId, '--json']).finished,
    holdfast(['session', 'transcript', sessionId, '--json']).finished,
  ]);
  expect(JSON.parse(transcript.stdout).map(textOf)).toEqual(['First.', 'one', 'Second.', 'two']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    ...{ sessionId, status: 'idle', title: 'First.', turns: 2, messageCount: 4 },
    usage: { modelCalls: 2 },
  });
});
