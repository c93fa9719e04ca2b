import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { WhileBusy } from 'holdfast/client';
import type { SupervisorEvent } from '../dist/worker/supervisor.js';
import type { PlannedEnd, PlannedSteer } from './plan.js';

// What the processes of a run write down, for the judge. Times are milliseconds since 1970.

/** By a tool's body: that it runs, what it did, how it ended. `asked`: its `reconcile` was. */
export type LedgerLine = {
  event: 'began' | 'effect' | 'ended' | 'asked';
  tool: string;
  /** The idempotency key, `<turnId>/<iteration>/<callId>`. */
  key: string;
  pid: number;
  at: number;
  /** Of `ended`. */
  how?: 'returned' | 'threw';
};

/** By a worker's process, of each activity in it. */
export type ActivityLine = {
  event: 'began' | 'ended';
  turnId: string;
  activityId: string;
  attempt: number;
  pid: number;
  at: number;
};

/** By the runner: what it did, and what the supervisors told it. */
export type Deed = { at: number } & (
  | { deed: 'started'; turnId: string }
  | { deed: 'killed'; pid: number; supervised: boolean }
  | { deed: 'drained' | 'orphaned'; pid: number }
  | { deed: 'server_restarted'; downMs: number }
  | { deed: 'worker'; event: SupervisorEvent; steady?: boolean }
  | { deed: 'ended'; kind: PlannedEnd['kind']; turnId: string; answer: Answer }
  | { deed: 'steered'; turnId: string; id: string; via: PlannedSteer['via']; answer: Answer }
  | Said
  | { deed: 'session_interrupted'; sessionId: string }
);

/**
 * A message that was sent to a session, at `at`. `answer`: the status of its receipt; `taken`: Temporal has taken the signal;
 * `no_answer`: the run was over before there was one.
 */
export type Said = {
  deed: 'said';
  sessionId: string;
  id: string;
  whileBusy: WhileBusy;
  answer: 'started' | 'queued' | 'steered' | 'taken' | 'no_answer';
};

/** What the sender was told. `no_answer`: it may have arrived, or not. */
export type Answer = 'sent' | 'too_late' | 'no_answer';

/** By a worker's process, now and then: the bytes that it has in memory. */
export type MemoryLine = { at: number; pid: number; rss: number };

/** By the strict provider: why it refused a request. */
export type Refusal = { at: number; why: string };

export function recordPaths(folder: string) {
  return {
    ledger: join(folder, 'ledger.jsonl'),
    activities: join(folder, 'activities.jsonl'),
    deeds: join(folder, 'deeds.jsonl'),
    refusals: join(folder, 'refusals.jsonl'),
    memory: join(folder, 'memory.jsonl'),
  };
}

/**
 * Appends a line by one small write, so that the lines of several processes never mix. What was written outlives
 * the SIGKILL of its writer.
 */
export function appendRecord<Line extends object>(path: string, line: Line): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

export function readRecords<Line>(path: string): Line[] {
  return existsSync(path) ? parse<Line>(readFileSync(path, 'utf8')) : [];
}

/** Reads what is appended from now on. */
export class RecordTail<Line> {
  readonly #file: number;
  #position: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a+');
    this.#position = fstatSync(this.#file).size;
  }

  /** What has come since the last time. */
  read(): Line[] {
    const buffer = Buffer.alloc(fstatSync(this.#file).size - this.#position);
    this.#position += readSync(this.#file, buffer, 0, buffer.length, this.#position);
    return parse<Line>(buffer.toString('utf8'));
  }

  close(): void {
    closeSync(this.#file);
  }
}

function parse<Line>(lines: string): Line[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
