import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cut, table, widthOf, wrapped } from '../../src/cli/table.js';
import { shortIds } from '../../src/cli/turns/short-id.js';
import { testPlace } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { hasPython, PTY } from '../support/on-terminal.js';

const turnId = randomUUID();
const prompt =
  'Read all the files 你好 and tell what they are about, one after the other, in some detail 👍 please';

beforeAll(async () => {
  const { client } = await testPlace();
  await client.start(`agent-${turnId}`, prompt, { turnId, taskQueue: turnId });
  const { workflow } = client.client;
  // What a server lists is a moment behind.
  await vi.waitUntil(async () => (await workflow.count(`WorkflowId = '${turnId}'`)).count === 1, {
    timeout: 20_000,
  });
});
afterAll(async () => {
  const { client } = await testPlace();
  await client.client.workflow.getHandle(turnId).terminate('the test is over');
});

/** What the program writes to a terminal of so many columns. */
function onTerminal(columns: number, args: string[], env: NodeJS.ProcessEnv = {}): string[] {
  const { NO_COLOR: _none, CI: _ci, ...rest } = process.env;
  const said = execFileSync(
    'python3',
    ['-c', PTY, String(columns), process.execPath, resolve('dist/cli/main.js'), ...args],
    { encoding: 'utf8', env: { ...rest, TERM: 'xterm', ...env } },
  );
  return said.replaceAll('\r', '').trimEnd().split('\n');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour is.
const colour = /\u001b\[\d+m/g;

describe.runIf(hasPython)('on a terminal', () => {
  const ps = ['ps', '--agent', `agent-${turnId}`];

  test.each(long ? [80, 200] : [80])(
    'a list of turns fits into %i columns, in colours, with a short id',
    (columns) => {
      const lines = onTerminal(columns, ps);
      expect(lines.join('')).toMatch(colour);
      const plain = lines.map((line) => line.replace(colour, ''));
      for (const line of plain) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(plain[1]).toMatch(new RegExp(`^${turnId.slice(0, 8)} `));
    },
  );

  test('a page of a turn fits into 80 columns, but for links', () => {
    const lines = onTerminal(80, ['show', turnId.slice(0, 8)]).map((line) => line.replace(colour, ''));
    expect(lines[0]).toBe(turnId);
    for (const line of lines) if (!line.includes(turnId)) expect(widthOf(line)).toBeLessThanOrEqual(80);
  });

  test.each(long ? [{ NO_COLOR: '1' }, { TERM: 'dumb' }] : [{ NO_COLOR: '1' }])(
    '%o keeps colours away',
    (env) => {
      expect(onTerminal(80, ps, env).join('\n')).not.toContain('\u001b');
    },
  );
});

test('a table gives way in its last column first, then in its first', () => {
  const rows = [
    ['TURN', 'WHAT'],
    ['a-turn-with-a-name-of-its-own', 'something that takes a while to be told'],
  ];
  const lines = table(rows, 50).trimEnd().split('\n');
  expect(lines[1]).toBe('a-turn-with-a-name-of-its-own  something that tak…');
  expect(table(rows, 30).trimEnd().split('\n')[1]).toBe('a-turn-with-a-n…  something t…');
});

test('wide characters count twice, and are not cut in halves', () => {
  expect([widthOf('你好'), widthOf('👍🏽'), widthOf('né')]).toEqual([4, 2, 2]);
  expect(cut('你好吗', 4)).toBe('你…');
  expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
});

test('random ids are shortened where that leaves them apart, names are not', () => {
  const [one, other] = ['3f2a9c1b-0000-4000-8000-000000000000', '3f2a9c1b-0000-4000-8000-000000000001'];
  expect(shortIds([turnId, 'ticket-77'])).toEqual(
    new Map([
      [turnId, turnId.slice(0, 8)],
      ['ticket-77', 'ticket-77'],
    ]),
  );
  expect([...shortIds([one, other]).values()]).toEqual([one, other]);
});
