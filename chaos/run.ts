// npm run chaos -- --turns 200 --seed 1: what the judge counted is its last line, and its exit code.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { AgentClient } from 'holdfast/client';
import type { SupervisorEvent } from '../dist/worker/supervisor.js';
import { type ChaosOptions, parseChaosArguments } from './arguments.js';
import { main } from './command-line.js';
import { inflict } from './faults.js';
import { Machine } from './machine.js';
import { makePlan, WORKERS } from './plan.js';
import { hangUp, judged, openPlace, type Verdict } from './processes.js';
import { appendRecord, type Deed } from './records.js';
import { Starts } from './starts.js';
import { Driver } from './turns.js';
import type { WorkerConfig } from './worker.js';

const TURNS_AT_ONCE = 16;
/** The whole is over by then, turns that have not ended or not. */
const limitMs = (turns: number) => 60_000 + turns * 1500;

async function chaos(options: ChaosOptions): Promise<Verdict> {
  const { folder, paths, provider, server, modelUrl } = await openPlace('chaos');
  const { address } = server;
  const taskQueue = `chaos-${randomUUID()}`;
  const { breakName, continueEvery, cachedTranscripts } = options;
  const config: WorkerConfig = {
    address,
    taskQueue,
    folder,
    modelUrl,
    ...(breakName && { breakName }),
    ...(continueEvery && { continueEvery }),
    ...(cachedTranscripts && { cachedTranscripts }),
  };
  const note = (event: SupervisorEvent) =>
    appendRecord<Deed>(paths.deeds, { deed: 'worker', at: Date.now(), event });
  const machines = Array.from({ length: WORKERS }, () => new Machine(config, note));
  const client = await AgentClient.connect({ address, taskQueue });
  try {
    await Promise.all(machines.map((machine) => machine.serving(limitMs(0))));
    const plan = makePlan(options.turns, options.seed, continueEvery);
    const over = AbortSignal.timeout(limitMs(options.turns));
    const starts = new Starts();
    const driver = new Driver(client, paths.deeds, over);
    const world = {
      server,
      machines,
      ledgerPath: paths.ledger,
      deedsPath: paths.deeds,
      started: starts.wait,
      isOver: starts.isOver,
    };
    await Promise.all([
      driver.runAll(plan.turns, Math.min(TURNS_AT_ONCE, options.turns), starts.tell).finally(starts.close),
      inflict(plan.faults, world),
    ]);
    const gaveUp = machines.reduce((sum, machine) => sum + machine.gaveUp, 0);
    if (gaveUp > 0) console.error(`${gaveUp} supervisors ended without having been told to`);
    await hangUp(provider);
    return await judge(options, address, folder);
  } finally {
    await Promise.all([...machines.map((machine) => machine.close()), hangUp(provider)]);
    await client.close();
    await server.stop();
    if (process.env['CHAOS_KEEP'] === undefined) await rm(folder, { recursive: true });
    else console.error(`The records are in ${folder}`);
  }
}

async function judge(options: ChaosOptions, address: string, folder: string): Promise<Verdict> {
  const { turns, seed, continueEvery } = options;
  const planned = [turns, seed, ...(continueEvery ? [continueEvery] : [])].map(String);
  return await judged('judge/judge.js', [address, folder, ...planned]);
}

await main((args) => chaos(parseChaosArguments(args)));
