import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import type { BenchOptions } from '../arguments.js';
import { median, rounded, table } from '../figures.js';
import { startModel } from '../model/start-model.js';
import { bundleNaive } from '../naive/bundle.js';

type Result = { holdfastMs: number; naiveMs: number; ratio: number; runs: number };

/** From the start of a process to the end of its first turn, of one model call; the server is up, the bundle made. */
export async function runColdStart(options: BenchOptions): Promise<Result> {
  const runs = options.runs ?? 7;
  const [server, modelUrl] = await Promise.all([startTemporaryServer({ ui: false }), startModel()]);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const bundle = join(folder, 'naive-workflow-bundle.js');
  const holdfast: number[] = [];
  const naive: number[] = [];
  try {
    await writeFile(bundle, await bundleNaive());
    const run = (program: string, ...more: string[]) =>
      timeToFirstTurn(program, [modelUrl, `${program}-${randomUUID()}`, ...more], server.address);
    // The first of each only brings the files into the system's cache.
    for (let count = -1; count < runs; count++) {
      const [holdfastMs, naiveMs] = [await run('holdfast'), await run('naive', bundle)];
      if (count < 0) continue;
      holdfast.push(holdfastMs);
      naive.push(naiveMs);
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const row = (name: string, values: readonly number[]) =>
    [name, median(values), Math.min(...values), Math.max(...values), median(values) / median(naive)].map(
      (value, at) => (typeof value === 'string' ? value : value.toFixed(at === 4 ? 2 : 0)),
    );
  console.log(
    table([
      ['', 'median ms', 'least', 'most', '× naive'],
      row('Holdfast', holdfast),
      row('naive Temporal loop', naive),
    ]),
  );
  return {
    holdfastMs: rounded(median(holdfast)),
    naiveMs: rounded(median(naive)),
    ratio: rounded(median(holdfast) / median(naive), 2),
    runs,
  };
}

async function timeToFirstTurn(program: string, args: string[], address: string): Promise<number> {
  const startedAt = performance.now();
  const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, TEMPORAL_ADDRESS: address },
  });
  const said = child.stderr ? text(child.stderr) : '';
  const exited = once(child, 'exit').then(async ([code]) => {
    throw new Error(`${program} ended with code ${code} before its first turn did.\n${await said}`);
  });
  await Promise.race([once(child, 'message'), exited]);
  const ms = performance.now() - startedAt;
  // The next one starts on a machine that is done with this one.
  await exited.catch(() => undefined);
  return ms;
}
