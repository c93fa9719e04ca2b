import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import type { BenchOptions } from '../arguments.js';
import { median, rounded, table } from '../figures.js';
import { startModel } from '../model/start-model.js';
import { RESULT_BYTES } from '../model/task.js';
import { openSides, type RunFigures, SIDES, type Side } from './sides.js';

type SideFigures = { msPerIteration: number; bytesPerIteration: number; eventsPerIteration: number };
type Row = { n: number; runs: number } & Record<Side, SideFigures> & { msRatio: number; bytesRatio: number };

const DEFAULT_ROUNDS = [10, 100];
/** A worker that has just begun runs code that is not compiled yet: `cold-start` asks for that. */
const WARM_UP_TURNS = 15;

/** Of a turn of n tool rounds and a last model call: its time and its history, divided by n. */
export async function runIteration(options: BenchOptions): Promise<{ resultBytes: number; rows: Row[] }> {
  const [server, modelUrl] = await Promise.all([startTemporaryServer({ ui: false }), startModel()]);
  const sides = await openSides(server.address, modelUrl);
  const rows: Row[] = [];
  try {
    for (let turn = 0; turn < WARM_UP_TURNS; turn++) for (const side of SIDES) await sides.run(side, 10);
    for (const n of options.rounds ?? DEFAULT_ROUNDS) {
      rows.push(await measure(sides.run, n, options.runs ?? (n < 50 ? 15 : 3)));
    }
  } finally {
    await sides.close();
    await server.stop();
  }
  console.log(asTable(rows));
  return { resultBytes: RESULT_BYTES, rows };
}

/** Runs the sides in turn, so that whatever else this machine does falls on all of them. */
async function measure(
  run: (side: Side, rounds: number) => Promise<RunFigures>,
  n: number,
  runs: number,
): Promise<Row> {
  const measured: Record<Side, RunFigures[]> = {
    holdfast: [],
    naive: [],
    naiveUncompressed: [],
    holdfastAtMostOnce: [],
  };
  for (let count = 0; count < runs; count++) {
    for (const side of SIDES) measured[side].push(await run(side, n));
  }
  const figures = (side: Side): SideFigures => ({
    msPerIteration: rounded(median(measured[side].map(({ ms }) => ms)) / n, 1),
    bytesPerIteration: rounded(median(measured[side].map(({ bytes }) => bytes)) / n),
    eventsPerIteration: rounded(median(measured[side].map(({ events }) => events)) / n, 1),
  });
  const [holdfast, naive] = [figures('holdfast'), figures('naive')];
  return {
    ...{ n, runs, holdfast, naive },
    ...{ naiveUncompressed: figures('naiveUncompressed'), holdfastAtMostOnce: figures('holdfastAtMostOnce') },
    msRatio: rounded(holdfast.msPerIteration / naive.msPerIteration, 2),
    bytesRatio: rounded(holdfast.bytesPerIteration / naive.bytesPerIteration, 3),
  };
}

function asTable(rows: readonly Row[]): string {
  const names: Record<Side, string> = {
    holdfast: 'Holdfast, likewise: no stream, idempotent tool',
    naive: 'naive Temporal loop',
    naiveUncompressed: 'naive, compressing nothing, as Holdfast does here',
    holdfastAtMostOnce: 'Holdfast by default: streamed, tool at most once',
  };
  const lines = rows.flatMap((row) =>
    SIDES.map((side) => {
      const { msPerIteration, bytesPerIteration, eventsPerIteration } = row[side];
      return [
        ...[names[side], row.n, msPerIteration.toFixed(1), bytesPerIteration, eventsPerIteration.toFixed(1)],
        (msPerIteration / row.naive.msPerIteration).toFixed(2),
        (bytesPerIteration / row.naive.bytesPerIteration).toFixed(3),
      ];
    }),
  );
  return table([
    ['', 'n', 'ms/iteration', 'history bytes/iteration', 'events/iteration', 'ms, × naive', 'bytes, × naive'],
    ...lines,
  ]);
}
