import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseSoakArguments } from '../../chaos/soak/arguments.js';
import { makeSoakPlan } from '../../chaos/soak/plan.js';
import { long } from '../support/long.js';
import { start } from '../support/run-cli.js';

const RUN_TIMEOUT_MS = 300_000;
const NOTHING = { ended: 0, lost: 0, doubled: 0, disordered: 0, refused: 0, unbounded: 0, memory: 0 };
const some = expect.toSatisfy((count: number) => count > 0);

/** The compiled run, and the figures of its last line. */
async function soak(...args: string[]) {
  const { exitCode, stdout, stderr } = await start('dist-chaos/soak.js', args).finished;
  const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  return { exitCode, figures, told: `${stdout}\n${stderr}` };
}

test('the same numbers plan the same messages, and each session begins with one that opens a turn', () => {
  const plan = makeSoakPlan(50, 4, 7);
  expect(makeSoakPlan(50, 4, 7)).toEqual(plan);
  expect(makeSoakPlan(50, 4, 8)).not.toEqual(plan);
  for (const { steps } of plan) {
    expect(steps[0]).toMatchObject({ kind: 'send', whileBusy: 'queue', via: 'update' });
    const opening = steps.filter((step) => step.kind === 'send' && step.whileBusy !== 'steer');
    expect(opening).toHaveLength(4);
  }
});

test('a command line that makes no sense is answered with how to write it', () => {
  expect(() => parseSoakArguments(['--turns', 'many'])).toThrow(
    /--turns takes a whole number above 0, not "many"\.\n\nUsage: npm run soak/,
  );
  expect(() => parseSoakArguments(['--break', 'all'])).toThrow('There is no break "all".');
});

describe.runIf(long)('a soak', () => {
  beforeAll(async () => {
    await promisify(execFile)('npx', ['tsc', '-p', 'chaos/tsconfig.json']);
  });

  test(
    'of one session that is compacted and goes on in new runs, while workers are killed: nothing is lost, doubled or out of order',
    async () => {
      const { exitCode, figures, told } = await soak(
        '--turns',
        '40',
        '--messages-per-run',
        '8',
        '--window',
        '2000',
      );

      expect(figures, told).toMatchObject({ sessions: 1, problems: NOTHING });
      expect(figures).toMatchObject({ sessionRuns: some, compactions: some, kills: some });
      expect(exitCode).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );

  test.each([
    { name: 'forget', wrong: { lost: some } },
    { name: 'overtake', wrong: { disordered: some } },
  ])(
    'says so when $name is broken',
    async ({ name, wrong }) => {
      const { exitCode, figures, told } = await soak('--turns', '10', '--break', name);

      expect(figures, told).toMatchObject({ problems: { ended: 0, doubled: 0, refused: 0, ...wrong } });
      expect(exitCode).toBe(1);
    },
    RUN_TIMEOUT_MS,
  );
});
