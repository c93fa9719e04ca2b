import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { start } from '../support/run-cli.js';

beforeAll(() => {
  execFileSync('node_modules/.bin/tsc', ['-p', 'examples/tsconfig.json']);
});

/** As `npm run example` does, without a key. */
async function output(name: string, args: string[] = []): Promise<string> {
  const { exitCode, stdout, stderr } = await start('scripts/run-example.mjs', [name, ...args]).finished;
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

test('hello', async () => {
  expect(await output('hello')).toMatch(/^Hello! .+\ncompleted: 1 model call, turn \S+\n$/);
});

test("a tool of one's own", async () => {
  const shown = await output('own-tool');
  expect(shown).toContain('Your money for W2378156 is on its way back.');
  expect(shown).toMatch(/the bank has: \S+ W2378156 arrived broken\n\n$/);
});

test('a coding agent on a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-examples-'));
  const shown = await output('coding-agent', [folder]);
  expect(shown).toBe(`write_file sum.js\n  ok\nbash node sum.js\n  ok\nsum.js prints 6.\nin ${folder}\n`);
  expect(await readFile(join(folder, 'sum.js'), 'utf8')).toBe('console.log(1 + 2 + 3);\n');
});

test('hooks, as docs/hooks.md has them', async () => {
  expect((await output('hooks')).split('\n').toSorted()).toEqual([
    '',
    'I have told Bo. I may not write to Ada.',
    'completed after 3 model calls',
    'guard: blocked mails stay in the shop',
    'guard: changed result',
  ]);
  const [, guard = ''] =
    /(const guard: Hooks = .*?\n};\n)/s.exec(readFileSync('examples/hooks.ts', 'utf8')) ?? [];
  expect(guard).not.toBe('');
  expect(readFileSync('docs/hooks.md', 'utf8')).toContain(guard);
});

test('structured output', async () => {
  expect(await output('structured-output')).toBe('now, delivery: The parcel is two weeks late.\n');
});

test("a turn in a workflow of one's own", async () => {
  const shown = await output('own-workflow');
  expect(shown).toBe('mail: Sales rose by a tenth\nreport: Sales rose by a tenth\n');
});

test('a tool in Python', async () => {
  expect(await output('python-tool')).toBe(
    [
      'describe_numbers: {"mean":7.25,"median":6.5,"standard_deviation":4.349}',
      'describe_numbers: Error: give at least two numbers',
      'The mean of the first list is 7.25; the second is too short.\n',
    ].join('\n'),
  );
  // Its packages may have to be installed.
}, 240_000);

test('sub-agents', async () => {
  expect(await output('sub-agents')).toBe(
    [
      'in a sub-agent: look_up bicycle',
      'shopper: ok, 2 model calls',
      'cyclist: ok, 1 model calls',
      'You need a bicycle and a helmet. The bicycle costs 900 euros.',
      '5 model calls in all\n',
    ].join('\n'),
  );
});

test('the code of docs/sub-agents.md is that of the example', () => {
  const source = readFileSync('examples/sub-agents.ts', 'utf8');
  const page = readFileSync('docs/sub-agents.md', 'utf8');
  const blocks = [...page.matchAll(/```ts\n(.+?)```/gs)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.filter((block) => !source.includes(block.trimEnd()))).toEqual([]);
});

test('a session', async () => {
  expect(await output('session')).toBe(
    [
      'Hello! Which order is it?',
      'It is in Ghent, and goes to your neighbour.',
      'Parcels may wait for ten days.',
      'support: W2378156',
      'lawyer: How long may it wait?',
      '9 messages, 4 model calls; the fork has 8',
      'compaction: done\n',
    ].join('\n'),
  );
});

test('the code of docs/remote-tools.md is that of the example', () => {
  const names = ['index.ts', 'worker.py'];
  const sources = names.map((name) => readFileSync(`examples/python-tool/${name}`, 'utf8'));
  const page = readFileSync('docs/remote-tools.md', 'utf8');
  const blocks = [...page.matchAll(/```(?:ts|py)\n(.+?)```/gs)].map(([, code = '']) => code);
  expect(blocks).toHaveLength(3);
  expect(blocks.filter((block) => !sources.some((source) => source.includes(block.trimEnd())))).toEqual([]);
});

test('a turn on a schedule', async () => {
  const shown = await output('schedule');
  expect(shown).toMatch(/^Good morning\. .+\nturn daily-digest-\d{4}-\d\d-\d\dT[\d:]+Z\n$/);
});

/** Where an example has code in a function, the page has it without the indentation. */
const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/^ +/gm, '');

test('the code of docs/sessions.md is that of the example', () => {
  const source = read('examples/session.ts');
  const blocks = [...read('docs/sessions.md').matchAll(/```ts\n(.+?)```/gs)].map(([, code = '']) => code);
  expect(blocks).toHaveLength(6);
  expect(blocks.filter((block) => !source.includes(block))).toEqual([]);
});

test('the code of docs/workflows.md is that of the examples', () => {
  // Where an example has it in a function, the page has it without the indentation.
  const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/^ +/gm, '');
  const names = ['own-workflow/index.ts', 'own-workflow/workflows.ts'];
  const sources = names.map((name) => read(`examples/${name}`));
  const blocks = [...read('docs/workflows.md').matchAll(/```ts\n(.+?)```/gs)].map(([, code = '']) => code);
  expect(blocks).toHaveLength(2);
  expect(blocks.filter((block) => !sources.some((source) => source.includes(block)))).toEqual([]);
});

test('the code of docs/schedules.md is that of the example', () => {
  const [block = '-'] = [...read('docs/schedules.md').matchAll(/```ts\n(.+?)```/gs)].map(([, code]) => code);
  expect(read('examples/schedule.ts')).toContain(block);
});

test('examples/README.md lists every example', () => {
  const listed = readFileSync('examples/README.md', 'utf8').matchAll(/^\| \[[\w-]+\]\((\S+)\)/gm);
  const isPart = (name: string) => ['model.ts', 'serve.ts', 'README.md', 'tsconfig.json'].includes(name);
  const programs = readdirSync('examples').filter((name) => !isPart(name));
  const paths = programs.map((name) => (name.endsWith('.ts') ? name : `${name}/index.ts`));
  expect([...listed].map(([, path]) => path).sort()).toEqual(paths.sort());
});
