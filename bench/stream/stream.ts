import type { BenchOptions } from '../arguments.js';
import { median, percentile, rounded, table } from '../figures.js';
import { openPlaces, type StreamedTurn } from './places.js';

type Result = {
  /** From the model's connection to the client's `text_delta`. */
  delayMs: { median: number; p95: number; most: number };
  /** Of the worker, for turns that are watched; the words come at 50 a second. */
  cpuMsPer1000Tokens: number;
  /** The worker again, where nobody watches; the difference is what showing the text takes. */
  unwatchedCpuMsPer1000Tokens: number;
  clientCpuMsPer1000Tokens: number;
  /** Temporal's server; undefined where the system does not tell. */
  serverCpuMsPer1000Tokens?: number;
  piecesPerSecond: number;
  tokens: number;
  turns: number;
};

const RATE = { words: 500, perSecond: 50 };

/** How old the model's words are when the client shows them, and what that takes. */
export async function runStream(options: BenchOptions): Promise<Result> {
  const turns = options.runs ?? 3;
  const places = await openPlaces(RATE);
  const watched: StreamedTurn[] = [];
  const unwatched: StreamedTurn[] = [];
  try {
    // The first turn of a process loads what the others find.
    await places.turn(true);
    for (let count = 0; count < turns; count++) {
      watched.push(await places.turn(true));
      unwatched.push(await places.turn(false));
    }
  } finally {
    await places.close();
  }
  const result = resultOf(watched, unwatched);
  console.log(asTable(result));
  return result;
}

function resultOf(watched: readonly StreamedTurn[], unwatched: readonly StreamedTurn[]): Result {
  const delays = watched.flatMap(({ delaysMs }) => delaysMs);
  const tokens = watched.length * RATE.words;
  if (delays.length < tokens * 0.95)
    throw new Error(`Only ${delays.length} of ${tokens} words came as pieces.`);
  const per1000 = (turns: readonly StreamedTurn[], process: keyof StreamedTurn['cpuMs']) =>
    rounded(turns.reduce((sum, { cpuMs }) => sum + cpuMs[process], 0) / (tokens / 1000));
  const server = per1000(watched, 'server');
  const pieces = watched.reduce((sum, turn) => sum + turn.pieces, 0);
  return {
    delayMs: {
      median: rounded(median(delays)),
      p95: rounded(percentile(delays, 95)),
      most: rounded(Math.max(...delays)),
    },
    cpuMsPer1000Tokens: per1000(watched, 'worker'),
    unwatchedCpuMsPer1000Tokens: per1000(unwatched, 'worker'),
    clientCpuMsPer1000Tokens: per1000(watched, 'client'),
    ...(Number.isFinite(server) && { serverCpuMsPer1000Tokens: server }),
    piecesPerSecond: rounded(pieces / (tokens / RATE.perSecond), 1),
    ...{ tokens, turns: watched.length },
  };
}

function asTable(result: Result): string {
  const { delayMs } = result;
  return [
    table([
      [
        `ms from model to client, ${result.tokens} tokens, ${RATE.perSecond} a second`,
        'median',
        'p95',
        'most',
      ],
      ['text_delta', delayMs.median, delayMs.p95, delayMs.most],
    ]),
    table([
      ['CPU ms per 1,000 tokens', 'watched', 'unwatched'],
      ['worker', result.cpuMsPer1000Tokens, result.unwatchedCpuMsPer1000Tokens],
      ['client', result.clientCpuMsPer1000Tokens, ''],
      ["Temporal's server", result.serverCpuMsPer1000Tokens ?? 'unknown', ''],
    ]),
  ].join('\n\n');
}
