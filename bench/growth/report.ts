import { table } from '../figures.js';
import { RESULT_BYTES } from '../model/task.js';
import { CAP_BYTES, type GrowthRow, SERIES, type Series } from './series.js';

const MB = 1024 * 1024;
const NAMES: Record<Series, string> = {
  holdfast: 'Holdfast',
  capped: `Holdfast, at most ${CAP_BYTES / 1000} KB sent`,
  naive: 'naive Temporal loop',
};
/** What the longest turn is compared with. */
const REFERENCE_ROUNDS = 100;

type Rows = Readonly<Record<Series, readonly GrowthRow[]>>;

export function figuresTable(rows: Rows): string {
  const lines = SERIES.flatMap((series) =>
    rows[series].map((row) => [
      ...[
        NAMES[series],
        row.n,
        row.runs,
        (row.bytes / MB).toFixed(2),
        row.bytesPerIteration,
        row.outcomeBytes,
      ],
      ...[row.eventsPerIteration.toFixed(1), row.ms.toFixed(1), row.postMs.toFixed(1), ownMs(row).toFixed(1)],
      ...[row.rssMb, row.settledRssMb, (row.bodyBytes / MB).toFixed(2), (row.postBodyBytes / MB).toFixed(2)],
    ]),
  );
  return table([
    [
      ...['', 'n', 'runs', 'history MB', 'bytes/iteration', 'result bytes', 'events/iteration'],
      ...['ms/iteration', 'posting', 'rest', 'RSS MB', 'RSS after', 'last body MB', 'bare loop'],
    ],
    ...lines,
  ]);
}

/** The longest turn beside that of 100 iterations, and what of it is wanted. */
export function ratiosTable(rows: Rows): string {
  const series = ['holdfast', 'capped'] as const;
  const lines: [string, (rows: readonly GrowthRow[]) => number, string][] = [
    ['history bytes/iteration', (all) => ratio(all, (row) => row.bytes / row.n), '0.90 to 1.10'],
    [
      "less the result's",
      (all) => ratio(all, (row) => (row.bytes - row.outcomeBytes) / row.n),
      '0.90 to 1.10',
    ],
    ['ms/iteration less posting', (all) => ratio(all, ownMs), '0.75 to 1.25'],
    ['RSS more, × transcript more', rssPerTranscript, 'at most 6'],
    ['RSS', (all) => ratio(all, (row) => row.rssMb), 'capped: flat'],
  ];
  const { to, from } = compared(rows.holdfast);
  return table([
    [`n = ${to.n} to n = ${from.n}`, ...series.map((each) => NAMES[each]), 'wanted'],
    ...lines.map(([name, value, wanted]) => [
      name,
      ...series.map((each) => value(rows[each]).toFixed(2)),
      wanted,
    ]),
  ]);
}

function ownMs({ ms, postMs }: GrowthRow): number {
  return ms - postMs;
}

function compared(rows: readonly GrowthRow[]): { from: GrowthRow; to: GrowthRow } {
  const sorted = rows.toSorted((one, other) => one.n - other.n);
  const to = sorted.at(-1);
  const from = sorted.find(({ n }) => n >= REFERENCE_ROUNDS) ?? sorted[0];
  if (!from || !to) throw new RangeError('There is nothing to compare.');
  return { from, to };
}

function ratio(rows: readonly GrowthRow[], of: (row: GrowthRow) => number): number {
  const { from, to } = compared(rows);
  return of(to) / of(from);
}

/** For each byte that the longest turn's transcript, as it would be sent whole, has more, the bytes more in its worker. */
function rssPerTranscript(rows: readonly GrowthRow[]): number {
  const { from, to } = compared(rows);
  return (to.rssMb - from.rssMb) / (((to.n - from.n) * RESULT_BYTES) / MB);
}
