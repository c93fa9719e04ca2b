import type { MemoryLine } from '../../records.js';
import type { RunSize } from '../chain.js';
import { percentile } from '../recovery.js';

/** A session's turn, from its message to what it has added, and what a run begins and ends with. */
const EVENTS_A_MESSAGE = 40;
const EVENTS_A_RUN = 200;
/** Temporal suggests to go on in a new run at 4 MB; one more turn may end first. */
const MOST_BYTES = 6_000_000;

/** The runs whose event history is longer than any should get, one line each. */
export function boundProblems(runs: readonly RunSize[], messagesPerRun: number): string[] {
  const mostEvents = EVENTS_A_RUN + EVENTS_A_MESSAGE * messagesPerRun;
  return runs.flatMap(({ workflowId, events, bytes }) => {
    const tooLong = events > mostEvents ? [`${events} events, more than ${mostEvents}`] : [];
    const tooBig = bytes > MOST_BYTES ? [`${bytes} bytes, more than ${MOST_BYTES}`] : [];
    return [...tooLong, ...tooBig].map((problem) => `a run of ${workflowId} has ${problem}`);
  });
}

/** Less time than this tells nothing of a process that has just begun. */
const LEAST_MEMORY_MS = 240_000;
const MOST_GROWTH = 1.2;
const SLACK_BYTES = 50_000_000;

export type Memory = { first: number; last: number; most: number; ms: number };

/** Of one process, in bytes: the medians of the first and of the last quarter of its time, and the most. */
export function memoryOf(lines: readonly MemoryLine[], pid: number | undefined): Memory | undefined {
  const own = lines.filter((line) => line.pid === pid).toSorted((one, other) => one.at - other.at);
  const [start, end] = [own.at(0)?.at, own.at(-1)?.at];
  if (start === undefined || end === undefined) return undefined;
  const ms = end - start;
  const median = (from: number, to: number) => {
    const within = own.filter(({ at }) => at >= start + from * ms && at <= start + to * ms);
    return (
      percentile(
        within.map(({ rss }) => rss),
        0.5,
      ) ?? 0
    );
  };
  return { first: median(0, 0.25), last: median(0.75, 1), most: Math.max(...own.map(({ rss }) => rss)), ms };
}

export function memoryProblems(memory: Memory | undefined): string[] {
  if (!memory) return ['nothing was written down of the memory of the worker that was not killed'];
  const { first, last, ms } = memory;
  if (ms < LEAST_MEMORY_MS || last <= first * MOST_GROWTH + SLACK_BYTES) return [];
  return [`the worker that was not killed had ${first} bytes at first, and ${last} at last`];
}
