import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from 'holdfast/client';
import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import type { BenchOptions } from '../arguments.js';
import { rounded } from '../figures.js';
import { startPageModel } from '../model/page-model.js';
import { RESULT_BYTES } from '../model/task.js';
import { bundleNaive } from '../naive/bundle.js';
import { naiveDeath } from './naive-death.js';
import { figuresTable, ratiosTable } from './report.js';
import { type GrowthRow, measure, type Place, SERIES, type Series } from './series.js';

type Result = { resultBytes: number } & Record<Series, GrowthRow[]> & { naiveDiedAt: number | null };

const DEFAULT_ROUNDS = [10, 100, 1000];
/** A naive turn of a few more rounds is ended by Temporal. */
const NAIVE_MOST = 100;
/** A row of shorter turns is the median of several. */
const LONG_TURN = 500;
const SHORT_RUNS = 3;

/** What a turn takes as it grows: of history, of its worker's memory, of time. The whole series: --n 10,100,1000,5000. */
export async function runGrowth(options: BenchOptions): Promise<Result> {
  const startedAt = Date.now();
  const [server, model] = await Promise.all([startTemporaryServer({ ui: false }), startPageModel()]);
  const { address } = server;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const bundlePath = join(folder, 'naive-workflow-bundle.js');
  const client = await AgentClient.connect({ address });
  const place: Place = { address, folder, bundlePath, client, model };
  const rows: Record<Series, GrowthRow[]> = { holdfast: [], capped: [], naive: [] };
  try {
    await writeFile(bundlePath, await bundleNaive());
    for (const n of options.rounds ?? DEFAULT_ROUNDS) {
      for (const series of SERIES) {
        if (series === 'naive' && n > NAIVE_MOST) continue;
        const beganAt = Date.now();
        rows[series].push(await measure(place, series, n, options.runs ?? (n < LONG_TURN ? SHORT_RUNS : 1)));
        console.error(`${series}, ${n} iterations: done in ${rounded((Date.now() - beganAt) / 1000)} s`);
      }
    }
    const death = await naiveDeath(place);
    console.log(figuresTable(rows));
    console.log(
      death.iteration === undefined
        ? `\nThe naive loop did not die in the time that it had.`
        : `\nThe naive loop died at iteration ${death.iteration}: ${death.why}`,
    );
    if (rows.holdfast.length > 1) console.log(`\n${ratiosTable(rows)}`);
    console.log(`\nAll of it took ${rounded((Date.now() - startedAt) / 1000)} s.`);
    return { resultBytes: RESULT_BYTES, ...rows, naiveDiedAt: death.iteration ?? null };
  } finally {
    await client.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
