import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AgentClient } from 'holdfast/client';
import { median, rounded } from '../figures.js';
import { type ChainFigures, chainFigures, resultBytes } from '../history.js';
import type { PageModel } from '../model/page-model.js';
import { INSTRUCTIONS, promptOf } from '../model/task.js';
import type { naiveAgent } from '../naive/workflows.js';
import { drained, startWorkerProcess } from '../worker/processes.js';

export const SERIES = ['holdfast', 'capped', 'naive'] as const;
export type Series = (typeof SERIES)[number];

/** What the model is sent, at most, of a capped turn. */
export const CAP_BYTES = 200_000;

export type GrowthRow = {
  n: number;
  /** Of the turn's whole history, over all of its runs. */
  bytes: number;
  /** How many of them the turn's result takes: a short turn's has all messages once more. */
  outcomeBytes: number;
  events: number;
  runs: number;
  bytesPerIteration: number;
  eventsPerIteration: number;
  /** An iteration's; and what of it a loop without Temporal takes to post the same bodies. */
  ms: number;
  postMs: number;
  /** Of the worker's process: the most, and after the turn and a garbage collection. */
  rssMb: number;
  settledRssMb: number;
  /** The last request's body: an uncapped turn's whole transcript. And that of the loop without Temporal. */
  bodyBytes: number;
  postBodyBytes: number;
};

export type Place = {
  address: string;
  folder: string;
  bundlePath: string;
  client: AgentClient;
  model: PageModel;
};

const WARM_UP_ROUNDS = 10;

/** A worker of its own for each row, so that nothing of an earlier one is in its memory. The medians of `times` turns. */
export async function measure(place: Place, series: Series, n: number, times: number): Promise<GrowthRow> {
  const taskQueue = `${series}-${randomUUID()}`;
  const worker = await startWorkerProcess({
    ...{ address: place.address, taskQueue, folder: place.folder, modelUrl: place.model.url },
    ...(series === 'capped' && { maxContextBytes: CAP_BYTES }),
    ...(series === 'naive' && { bundlePath: place.bundlePath }),
  });
  await runTurn(place, series, taskQueue, WARM_UP_ROUNDS);
  const turns: Turn[] = [];
  const posts: Posts[] = [];
  for (let time = 0; time < times; time++) {
    turns.push(await runTurn(place, series, taskQueue, n));
    posts.push(await postOnly(place, series, n));
  }
  const { maxRssMb, settledRssMb } = await drained(worker, place.folder);
  const middle = <Item>(items: readonly Item[], of: (item: Item) => number) => median(items.map(of));
  const bytes = middle(turns, (turn) => turn.bytes);
  const events = middle(turns, (turn) => turn.events);
  return {
    ...{ n, bytes, events },
    outcomeBytes: middle(turns, (turn) => turn.outcomeBytes),
    runs: middle(turns, (turn) => turn.runs),
    bytesPerIteration: rounded(bytes / n),
    eventsPerIteration: rounded(events / n, 2),
    ms: rounded(middle(turns, (turn) => turn.ms) / n, 2),
    postMs: rounded(middle(posts, (post) => post.ms) / n, 2),
    ...{ rssMb: rounded(maxRssMb), settledRssMb: rounded(settledRssMb) },
    bodyBytes: middle(turns, (turn) => turn.bodyBytes),
    postBodyBytes: middle(posts, (post) => post.bodyBytes),
  };
}

type Turn = ChainFigures & { ms: number; outcomeBytes: number; bodyBytes: number };
type Posts = { ms: number; bodyBytes: number };

async function runTurn(place: Place, series: Series, taskQueue: string, rounds: number): Promise<Turn> {
  const { client } = place.client;
  const workflowId = `${series}-${rounds}-${randomUUID()}`;
  place.model.forget();
  const startedAt = performance.now();
  if (series === 'naive') await startNaive(place, workflowId, taskQueue, rounds);
  else {
    const limits = { iterations: rounds + 1 };
    await place.client.start('reader', promptOf(rounds), { turnId: workflowId, taskQueue, limits });
  }
  // Not the turn's own result(), which would fetch all of its messages.
  await client.workflow.getHandle(workflowId).result();
  const ms = performance.now() - startedAt;
  const bodyBytes = lastBodyOf(place.model, rounds);
  const outcomeBytes = await resultBytes(client, workflowId);
  return { ms, bodyBytes, outcomeBytes, ...(await chainFigures(client, workflowId)) };
}

export async function startNaive(
  { client }: Place,
  workflowId: string,
  taskQueue: string,
  rounds: number,
): Promise<void> {
  const args: Parameters<typeof naiveAgent> = [INSTRUCTIONS, promptOf(rounds)];
  await client.client.workflow.start<typeof naiveAgent>('naiveAgent', { workflowId, taskQueue, args });
}

async function postOnly({ model }: Place, series: Series, rounds: number): Promise<Posts> {
  model.forget();
  const cap = series === 'capped' ? [String(CAP_BYTES)] : [];
  const program = fileURLToPath(new URL('./bare.js', import.meta.url));
  const child = fork(program, [model.url, String(rounds), ...cap]);
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => {
    throw new Error(`The bare loop ended with code ${code} before it was through.`);
  });
  failed.catch(() => undefined);
  const [ms] = await Promise.race([once(child, 'message'), failed]);
  child.disconnect();
  await exited;
  return { ms: Number(ms), bodyBytes: lastBodyOf(model, rounds) };
}

/** Throws where the model was not asked so many times. */
function lastBodyOf({ requests }: PageModel, rounds: number): number {
  const last = requests.at(-1);
  if (last?.page === rounds) return last.bytes;
  throw new Error(`A turn of ${rounds} rounds ended after ${last?.page}.`);
}
