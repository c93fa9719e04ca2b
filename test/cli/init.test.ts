import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { fault, serveScriptedModel } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { holdfast, start } from '../support/run-cli.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = () => realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-init-')));

async function init(folder: string, ...args: string[]) {
  return await holdfast(['init', folder, ...args]).finished;
}

/** Holdfast as npm would install it from its package, and beside it what the project needs, from our own node_modules. */
function install(project: string): void {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  mkdirSync(join(modules, 'holdfast'));
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, encoding: 'utf8' });
  const packed = npm('pack', '--silent', '--ignore-scripts', '--pack-destination', project).trim();
  execFileSync('tar', ['-xzf', packed, '-C', 'node_modules/holdfast', '--strip-components=1'], {
    cwd: project,
  });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.') && name !== 'holdfast')
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const cli = join(modules, 'holdfast/dist/cli/main.js');
  chmodSync(cli, 0o755);
  symlinkSync(cli, join(modules, '.bin/holdfast'));
  symlinkSync(join(root, 'node_modules/.bin/tsc'), join(modules, '.bin/tsc'));
}

function npmRun(project: string, ...args: string[]): string {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(OPENAI_|NODE_)/.test(name)),
  );
  return execFileSync('npm', args, { cwd: project, env, encoding: 'utf8' });
}

test.runIf(long)(
  'a new project passes its tests and runs a turn without a key',
  { timeout: 180_000 },
  async () => {
    const project = join(place(), 'my-agent');
    const { exitCode, stdout } = await init(project);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('npm install\n  npm start');
    expect(readdirSync(project)).toEqual(
      expect.arrayContaining(['.gitignore', 'Dockerfile', 'deploy', 'src']),
    );
    install(project);
    expect(npmRun(project, 'test')).toContain('# pass 2');
    const said = npmRun(project, 'start', '--', 'Where is W1000000?');
    expect(said).toContain('No OPENAI_API_KEY is set: a scripted model answers');
    expect(said).toContain('→ look_up_order W1000000');
    expect(said).toContain('"arrives":"last Monday"');
    expect(said).toContain('completed, after 2 model calls');

    const wrongKey = await serveScriptedModel([fault({ status: 401 })]);
    onTestFinished(() => wrongKey.close());
    const env = { OPENAI_BASE_URL: wrongKey.url, OPENAI_API_KEY: 'wrong', OPENAI_MODEL: 'm' };
    const failed = await start(join(project, 'dist/start.js'), [], env).finished;
    expect(failed).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Model\.Authentication: .*\n$/),
    });
  },
);

test('a project made from a checkout installs that checkout, or what it is told to', async () => {
  const dependency = (project: string) =>
    JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).dependencies.holdfast;
  const [first, second] = [join(place(), 'first'), join(place(), 'second')];
  await init(first);
  await init(second, '--holdfast', 'file:../holdfast.tgz');
  expect(dependency(first)).toBe(`file:${root}`);
  expect(dependency(second)).toBe('file:../holdfast.tgz');
});

test('an empty folder is taken', async () => {
  const project = join(place(), 'empty');
  mkdirSync(project);
  expect((await init(project)).exitCode).toBe(0);
  expect(existsSync(join(project, 'src/agent.ts'))).toBe(true);
});

test('a folder that has something in it stays as it is', async () => {
  const project = join(place(), 'mine');
  mkdirSync(project);
  writeFileSync(join(project, 'notes.txt'), 'mine');
  const { exitCode, stderr } = await init(project);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('is not empty: it has notes.txt. Nothing was written.');
  expect(readdirSync(project)).toEqual(['notes.txt']);
});

test('a link that leads nowhere, an empty name and an empty --holdfast are refused in words', async () => {
  const link = join(place(), 'mine');
  symlinkSync(join(place(), 'nothing'), link);
  const said = await Promise.all([init(link), init(''), init(join(place(), 'mine'), '--holdfast', '')]);
  expect(said.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2]);
  expect(said.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining(`${link} is a link that leads nowhere. Nothing was written.`),
    expect.stringContaining("The folder's name is empty."),
    expect.stringContaining('--holdfast is empty.'),
  ]);
});

test('a file in the way is named', async () => {
  const file = join(place(), 'mine');
  writeFileSync(file, 'mine');
  const { exitCode, stderr } = await init(file);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${file} is a file. Nothing was written.`);
});

test.each(['My Agent', '.hidden', '_x', 'ä', 'a'.repeat(65), 'node_modules'])(
  'the name %j is refused, with one that is right',
  async (name) => {
    const folder = place();
    const { exitCode, stderr } = await init(join(folder, name));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`"${name}" can't be a project's name.`);
    expect(stderr).toContain('holdfast init my-agent');
    expect(readdirSync(folder)).toEqual([]);
  },
);
