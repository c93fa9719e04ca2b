import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from 'holdfast/client';
import { createWorker } from 'holdfast/worker';
import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import { readerAgent } from '../agent.js';
import type { BenchOptions } from '../arguments.js';
import { median, rounded, table } from '../figures.js';
import { startModel } from '../model/start-model.js';
import { promptOf } from '../model/task.js';

const LANES = ['remote', 'local'] as const;
type Lane = (typeof LANES)[number];
/** `events` of the history, of one iteration. */
type LaneFigures = { turnsPerSecond: number; msPerIteration: number; events: number };
type Result = { rounds: number; runs: number } & Record<Lane, LaneFigures>;

const ROUNDS = 10;
const RUNS = 7;
/** The turns that run at once, for the turns a second. */
const CROWD = 50;
const CROWD_ROUNDS = 5;
const CROWD_RUNS = 3;

type Turn = (lane: Lane, rounds: number) => Promise<{ ms: number; events: number }>;

/** The same turns with a tool that is an ordinary activity (`remote`), and one that is a local activity. */
export async function runFastLane(options: BenchOptions): Promise<Result> {
  const [server, modelUrl] = await Promise.all([startTemporaryServer({ ui: false }), startModel()]);
  const { address } = server;
  const client = new Client({ connection: await Connection.connect({ address }) });
  const shared = { idempotent: true, stream: false };
  const agents = [
    readerAgent('remote', modelUrl, { ...shared, execution: 'activity' }),
    readerAgent('local', modelUrl, { ...shared, execution: 'local' }),
  ];
  const { worker } = await createWorker({ agents, address, taskQueue: 'holdfast' });
  const holdfast = new AgentClient({ client });
  const turn: Turn = async (lane, rounds) => {
    const turnId = `${lane}-${randomUUID()}`;
    const startedAt = performance.now();
    const outcome = await (await holdfast.start(lane, promptOf(rounds), { turnId })).result();
    const ms = performance.now() - startedAt;
    if (outcome.iterations !== rounds + 1) throw new Error(`${lane} made ${outcome.iterations} model calls.`);
    const { historyLength } = await client.workflow.getHandle(turnId).describe();
    return { ms, events: historyLength };
  };
  try {
    return await worker.runUntil(() => measure(turn, options));
  } finally {
    await client.connection.close();
    await server.stop();
  }
}

/** Runs the lanes in turn, so that whatever else this machine does falls on both. */
async function measure(turn: Turn, options: BenchOptions): Promise<Result> {
  const { rounds: [rounds = ROUNDS] = [], runs = RUNS } = options;
  const turns: Record<Lane, { ms: number; events: number }[]> = { remote: [], local: [] };
  const rates: Record<Lane, number[]> = { remote: [], local: [] };
  for (const lane of LANES) await turn(lane, rounds);
  for (let count = 0; count < runs; count++) {
    for (const lane of LANES) turns[lane].push(await turn(lane, rounds));
  }
  for (let count = 0; count < Math.min(runs, CROWD_RUNS); count++) {
    for (const lane of LANES) rates[lane].push(await turnsPerSecond(turn, lane));
  }
  const figures = (lane: Lane): LaneFigures => ({
    turnsPerSecond: rounded(median(rates[lane]), 1),
    msPerIteration: rounded(median(turns[lane].map(({ ms }) => ms)) / rounds, 1),
    events: rounded(median(turns[lane].map(({ events }) => events)) / rounds, 1),
  });
  const result = { rounds, runs, remote: figures('remote'), local: figures('local') };
  console.log(asTable(result));
  return result;
}

async function turnsPerSecond(turn: Turn, lane: Lane): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CROWD }, () => turn(lane, CROWD_ROUNDS)));
  return CROWD / ((performance.now() - startedAt) / 1000);
}

function asTable({ rounds, remote, local }: Result): string {
  const row = (name: string, { turnsPerSecond, msPerIteration, events }: LaneFigures) => {
    return [name, turnsPerSecond.toFixed(1), msPerIteration.toFixed(1), events.toFixed(1)];
  };
  return table([
    ['', `turns/s, ${CROWD} at once`, `ms/iteration of ${rounds}`, 'events/iteration'],
    row('tool as an activity', remote),
    row('tool as a local activity', local),
    [
      'local, × activity',
      (local.turnsPerSecond / remote.turnsPerSecond).toFixed(2),
      (local.msPerIteration / remote.msPerIteration).toFixed(2),
      (local.events / remote.events).toFixed(2),
    ],
  ]);
}
