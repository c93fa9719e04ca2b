import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Writes the URL of each module that is imported, as it is loaded. */
const HOOKS = `
import { writeSync } from 'node:fs';
export async function load(url, context, next) {
  writeSync(1, url + '\\n');
  return await next(url, context);
}`;

/** Imports an entry point, and writes what else has come in with it: CommonJS modules and native ones. */
const PROGRAM = (entry: string) => `
import { createRequire, register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOKS)}));
await import('${entry}');
const { cache } = createRequire(process.cwd() + '/');
console.log(Object.keys(cache).join('\\n'));
console.log(process.report.getReport().sharedObjects.join('\\n'));
`;

/** The packages of which something is loaded when the entry point is imported, and whether any of it is native. */
async function loadedBy(entry: string): Promise<{ packages: string[]; native: boolean }> {
  const program = ['--input-type=module', '-e', PROGRAM(entry)];
  const { stdout } = await promisify(execFile)(process.execPath, program, {
    cwd: repository,
    maxBuffer: 10_000_000,
  });
  const names = stdout.matchAll(/node_modules\/((?:@[^/]+\/)?[^/\n]+)/g);
  return {
    packages: [...new Set([...names].map(([, name]) => name ?? ''))],
    native: /\.node$/m.test(stdout),
  };
}

test('what defines agents and tools loads nothing of Temporal', async () => {
  const { packages, native } = await loadedBy('holdfast');
  expect(packages.toSorted()).toEqual(['openai', 'zod']);
  expect(native).toBe(false);
});

test('a client loads no worker, no native module, no bundler, no model and no schema', async () => {
  const { packages, native } = await loadedBy('holdfast/client');
  expect(packages).toContain('@temporalio/client');
  for (const name of ['@temporalio/worker', '@temporalio/core-bridge', 'webpack', 'openai', 'zod'])
    expect(packages).not.toContain(name);
  expect(native).toBe(false);
});

test.each([
  ['client', "import { AgentClient } from 'holdfast/client'; console.log(AgentClient.name);", 'AgentClient'],
  [
    'index',
    "import { openai } from 'holdfast'; const model = openai({ model: 'm' }); await model.prepare(); console.log(model.name);",
    'm',
  ],
])(
  'what uses holdfast (%s) can be bundled into one file, which needs no package beside it',
  async (entry, code, said) => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'holdfast-bundled-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    const [program, file] = [join(elsewhere, 'program.js'), join(elsewhere, 'bundled.mjs')];
    await writeFile(program, code);
    const name = entry === 'index' ? 'holdfast' : `holdfast/${entry}`;
    const resolve = { alias: { [name]: `${repository}/dist/entries/${entry}.js` } };
    const bundle = await rolldown({ input: program, platform: 'node', resolve, logLevel: 'silent' });
    await bundle.write({ file, codeSplitting: false });
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: elsewhere });
    expect(stdout).toBe(`${said}\n`);
  },
);

test.each([
  ['holdfast/codec', ['@temporalio/common', '@temporalio/proto']],
  ['holdfast/workflows', ['@temporalio/common', '@temporalio/proto', '@temporalio/workflow']],
  ['holdfast/tools', []],
])('%s loads of Temporal no more than %j', async (entry, allowed: string[]) => {
  const { packages, native } = await loadedBy(entry);
  expect(packages.filter((name) => name.startsWith('@temporalio/') && !allowed.includes(name))).toEqual([]);
  expect(native).toBe(false);
});

test.each(['holdfast/worker', 'holdfast/testing'])(
  '%s can be imported alone, and is a worker',
  async (entry) => {
    const { packages, native } = await loadedBy(entry);
    expect(packages).toContain('@temporalio/worker');
    expect(packages).not.toContain('@modelcontextprotocol/sdk');
    expect(native).toBe(true);
  },
);

test('why each dependency is there is written down', async () => {
  const manifest = JSON.parse(await readFile(`${repository}/package.json`, 'utf8'));
  const page = await readFile(`${repository}/docs/dependencies.md`, 'utf8');
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    expect(page).toContain(`| \`${name}\``);
});

// The command line's worker and an agent's module each load their own copy of what is ours.
test("a retry that an agent's module asks for is one to a worker that has loaded another copy", async () => {
  const { retryable } = await import('holdfast');
  const { RetryableToolError } = await import('../../src/define/retryable.js');
  const asked = retryable(new Error('busy'));
  expect(asked).toBeInstanceOf(RetryableToolError);
  expect(Object.getPrototypeOf(asked)).not.toBe(RetryableToolError.prototype);
  expect(new Error('busy')).not.toBeInstanceOf(RetryableToolError);
});
