import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { long } from '../support/long.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const compilerOptions = {
  ...{ target: 'es2023', lib: ['es2023'], types: ['node'], strict: true, outDir: 'built' },
  // Temporal's own types ask for those of `ms`, which it does not bring.
  skipLibCheck: true,
};

/** What `npm pack` makes, and a fresh project beside it that has installed that. */
let folder: string;
let tarball: string;
let project: string;

/** Throws what the program printed where it did not end well. */
async function run(program: string, args: string[], cwd = project): Promise<string> {
  const ended = promisify(execFile)(program, args, { cwd });
  const { stdout } = await ended.catch(({ message, stdout }: { message: string; stdout: string }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

async function bytesOf(file: string): Promise<ArrayBuffer> {
  return new Uint8Array(await readFile(file)).buffer;
}

/** As the profile \`esm-only\` of \`attw\` has it. */
function isOfCommonJs(problem: object | string): boolean {
  const kind = typeof problem === 'object' && 'resolutionKind' in problem ? problem.resolutionKind : '';
  return kind === 'node10' || kind === 'node16-cjs';
}

async function compile(module: string): Promise<void> {
  const config = { compilerOptions: { ...compilerOptions, module }, include: ['*.ts', '*.cts'] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  await run(join(repository, 'node_modules/.bin/tsc'), ['-p', project]);
}

/** The last line that a program of the project prints. */
async function printed(program: string): Promise<unknown> {
  const stdout = await run(process.execPath, [join('built', program)]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-package-'));
  project = join(folder, 'project');
  await mkdir(project);
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const stdout = await run('npm', pack, repository);
  tarball = join(folder, /"filename": "([^"]+)"/.exec(stdout)?.[1] ?? '');
  await cp(fileURLToPath(new URL('consumer', import.meta.url)), project, { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...quietly, tarball, 'zod@4', '@types/node@20']);
}, 300_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(long)('the package, installed in a fresh project', () => {
  test('is what publint finds nothing to say about', async () => {
    const pack = { tarball: await bytesOf(tarball) };
    const { messages } = await publint({ pack, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that resolve as its modules do', async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await bytesOf(tarball))));
    const problems = 'problems' in result ? result.problems : ['it has no types'];
    // It is no CommonJS module; that \`require\` loads it all the same is tested below.
    expect(problems.filter((problem) => !isOfCommonJs(problem))).toEqual([]);
  });

  test.each(['node20', 'nodenext'])('type-checks with TypeScript module %s', compile);

  test('runs in an ES module: a worker, and a client that knows the type of the output', async () => {
    expect(await printed('program.js')).toEqual({
      ...{ summary: 'W1 is refunded.', calls: ['refund_order ok'], lastEvent: 'turn_ended' },
    });
  });

  test('runs in a CommonJS module, through require', async () => {
    expect(await printed('common.cjs')).toEqual({ text: 'It is on its way.', calls: 0, messages: 2 });
  });
});
