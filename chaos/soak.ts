// npm run soak -- --turns 1000 --seed 1: sessions that go on and on; what the judge counted is its last line, and its exit code.
// At Ctrl-C no more is said, and what was said is judged.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { AgentClient } from 'holdfast/client';
import type { SupervisorEvent } from '../dist/worker/supervisor.js';
import { main } from './command-line.js';
import { Machine } from './machine.js';
import { hangUp, judged, openPlace, type Verdict } from './processes.js';
import { appendRecord, type Deed } from './records.js';
import { parseSoakArguments, type SoakOptions } from './soak/arguments.js';
import { killAtRandom } from './soak/kills.js';
import { makeSoakPlan } from './soak/plan.js';
import { talk } from './soak/sessions.js';
import type { WorkerConfig } from './worker.js';

const SERVING_WITHIN_MS = 120_000;
/** The whole is over by then, sessions that have not ended or not. */
const limitMs = ({ sessions, turns }: SoakOptions) => 180_000 + sessions * turns * 6000;

async function soak(options: SoakOptions): Promise<Verdict> {
  const { folder, paths, provider, server, modelUrl } = await openPlace('soak');
  const { address } = server;
  const { breakName, window } = options;
  const config: WorkerConfig = {
    ...{ address, taskQueue: `soak-${randomUUID()}`, folder, modelUrl },
    ...{ window, watchesMemory: true },
    ...(breakName && { breakName }),
  };
  const { taskQueue } = config;
  const note = (steady: boolean) => (event: SupervisorEvent) => {
    appendRecord<Deed>(paths.deeds, { deed: 'worker', at: Date.now(), event, ...(steady && { steady }) });
  };
  // One is never killed: what a process has in memory shows only in one that lives.
  const [steady, killed] = [new Machine(config, note(true)), new Machine(config, note(false))];
  const client = await AgentClient.connect({ address, taskQueue });
  const allSaid = new AbortController();
  try {
    await Promise.all([steady.serving(SERVING_WITHIN_MS), killed.serving(SERVING_WITHIN_MS)]);
    const { sessions, turns, seed, messagesPerRun } = options;
    const over = AbortSignal.timeout(limitMs(options));
    const enough = new AbortController();
    process.once('SIGINT', () => enough.abort());
    const talking = { client, deedsPath: paths.deeds, messagesPerRun, over, enough: enough.signal };
    await Promise.all([
      talk(makeSoakPlan(sessions, turns, seed), talking).finally(() => allSaid.abort()),
      killAtRandom([killed], seed, paths.deeds, allSaid.signal),
    ]);
    await hangUp(provider);
    return await judged('judge/soak/judge.js', [address, folder, String(sessions), String(messagesPerRun)]);
  } finally {
    allSaid.abort();
    await Promise.all([steady.close(), killed.close(), hangUp(provider)]);
    await client.close();
    await server.stop();
    if (process.env['CHAOS_KEEP'] === undefined) await rm(folder, { recursive: true });
    else console.error(`The records are in ${folder}`);
  }
}

await main((args) => soak(parseSoakArguments(args)));
