import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import type { BenchOptions } from '../arguments.js';
import { median, percentile, rounded, table } from '../figures.js';
import { openPlaces, type Place, type Running } from './places.js';

type Figures = { median: number; p95: number };
type Result = {
  toolMs: Figures;
  modelMs: Figures;
  /** The activity runs in another worker than its workflow's, which no sink reaches: it hears at a heartbeat. */
  otherWorker: { toolMs: Figures; modelMs: Figures };
};

const RUNS = 20;

/** From the signal to the turn's result, with a tool running and with a model call running. */
export async function runInterrupt(options: BenchOptions): Promise<Result> {
  const server = await startTemporaryServer({ ui: false });
  const places = await openPlaces(server.address);
  try {
    const runs = options.runs ?? RUNS;
    const measure = async (place: Place, running: Running) => {
      const times: number[] = [];
      await places.interrupted(place, running);
      for (let count = 0; count < runs; count++) times.push(await places.interrupted(place, running));
      return { median: rounded(median(times)), p95: rounded(percentile(times, 95)) };
    };
    const result: Result = {
      toolMs: await measure('same', 'tool'),
      modelMs: await measure('same', 'model'),
      otherWorker: { toolMs: await measure('other', 'tool'), modelMs: await measure('other', 'model') },
    };
    console.log(asTable(result, runs));
    return result;
  } finally {
    await places.close();
    await server.stop();
  }
}

function asTable({ toolMs, modelMs, otherWorker }: Result, runs: number): string {
  const row = (name: string, figures: Figures) => [name, figures.median, figures.p95];
  return table([
    [`ms from signal to result, ${runs} runs`, 'median', 'p95'],
    row('a tool runs, same process', toolMs),
    row('a model call runs, same process', modelMs),
    row('a tool runs, other worker', otherWorker.toolMs),
    row('a model call runs, other worker', otherWorker.modelMs),
  ]);
}
