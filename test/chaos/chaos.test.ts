import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { BREAK_NAMES, brokenWorker, SESSION_BREAK_NAMES } from '../../chaos/breaks.js';
import { long } from '../support/long.js';
import { start } from '../support/run-cli.js';

const RUN_TIMEOUT_MS = 120_000;

type Figures = {
  turns: number;
  ended: number;
  repeated: number;
  resultsLost: number;
  steersLost: number;
  refused: number;
  recoveryMs: { median: number | null; p95: number | null };
};

beforeAll(async () => {
  await promisify(execFile)('npx', ['tsc', '-p', 'chaos/tsconfig.json']);
});

/** The compiled run, and the figures of its last line. */
async function chaos(...args: string[]) {
  const { exitCode, stdout, stderr } = await start('dist-chaos/run.js', args).finished;
  const lines = stdout.trim().split('\n');
  const figures = JSON.parse(lines.at(-1) ?? '') as Figures;
  return { exitCode, figures, stdout, told: `${stdout}\n${stderr}` };
}

test(
  'no turn, result or message is lost, and no payment is made twice, while workers and the server are killed',
  async () => {
    const { exitCode, figures, stdout, told } = await chaos('--turns', '16', '--seed', '1');

    expect(figures, told).toEqual({
      ...{ turns: 16, ended: 16, repeated: 0, resultsLost: 0, steersLost: 0, refused: 0 },
      recoveryMs: { median: expect.any(Number), p95: expect.any(Number) },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/[1-9]\d* SIGKILLs of workers, .* 2 restarts of the server/);
  },
  RUN_TIMEOUT_MS,
);

test.runIf(long)(
  'nor while turns continue as new every other iteration, and workers keep one transcript in memory',
  async () => {
    const bounds = ['--continue-every', '2', '--cached-transcripts', '1'];
    const { exitCode, figures, stdout, told } = await chaos('--turns', '16', '--seed', '1', ...bounds);

    expect(figures, told).toEqual({
      ...{ turns: 16, ended: 16, repeated: 0, resultsLost: 0, steersLost: 0, refused: 0 },
      recoveryMs: { median: expect.any(Number), p95: expect.any(Number) },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\d\d continuations as new/);
  },
  RUN_TIMEOUT_MS,
);

const none = { repeated: 0, resultsLost: 0, steersLost: 0, refused: 0 };
const some = expect.toSatisfy((count: number) => count > 0);

test.each([...BREAK_NAMES, ...SESSION_BREAK_NAMES])('there is something to break by %s', (name) => {
  expect(() => brokenWorker(name)).not.toThrow();
});

const broken = [
  { name: 'steer', turns: 4, wrong: { steersLost: some } },
  { name: 'dedupe', turns: 4, wrong: { steersLost: some } },
  // A turn whose transcript is refused can not go on either.
  { name: 'reconcile', turns: 4, wrong: { refused: some, ended: 3 } },
];

test.runIf(long).each(broken)(
  'the judge sees it when $name is broken',
  async ({ name, turns, wrong }) => {
    const { exitCode, figures, told } = await chaos('--turns', `${turns}`, '--seed', '1', '--break', name);

    expect(figures, told).toMatchObject({ turns, ended: turns, ...none, ...wrong });
    expect(exitCode).toBe(1);
  },
  RUN_TIMEOUT_MS,
);

test.runIf(long)(
  "the judge sees it when 'begun' is broken: a call runs twice, or is told as not started though it ran",
  async () => {
    const { exitCode, figures, told } = await chaos('--turns', '8', '--seed', '1', '--break', 'begun');

    expect(figures.repeated + figures.resultsLost, told).toBeGreaterThan(0);
    expect(figures, told).toMatchObject({ turns: 8, ended: 8, steersLost: 0, refused: 0 });
    expect(exitCode).toBe(1);
  },
  RUN_TIMEOUT_MS,
);
