import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions, Worker } from '@temporalio/worker';
import { AgentClient } from 'holdfast/client';
import { createWorker } from 'holdfast/worker';
import { readerAgent } from '../agent.js';
import { INSTRUCTIONS, promptOf } from '../model/task.js';
import { naiveActivities } from '../naive/activities.js';
import { bundleNaive } from '../naive/bundle.js';
import type { naiveAgent } from '../naive/workflows.js';

export const SIDES = ['holdfast', 'naive', 'naiveUncompressed', 'holdfastAtMostOnce'] as const;
export type Side = (typeof SIDES)[number];

/** One whole turn, from the call that starts it to its result; history as the server counts it. */
export type RunFigures = { ms: number; bytes: number; events: number };

type Sides = {
  run(side: Side, rounds: number): Promise<RunFigures>;
  close(): Promise<void>;
};

/**
 * A worker of each, side by side on the same server and with the same model; one turn at a time. Each connects as it does
 * for who uses it: Holdfast's by itself, which compresses nothing for a server of this machine, the naive one by the SDK's
 * defaults; and, to tell what that makes, another naive one that compresses nothing either.
 */
export async function openSides(address: string, modelUrl: string): Promise<Sides> {
  const client = new Client({ connection: await Connection.connect({ address }) });
  const agents = [
    // As the naive loop does it: each reply in one piece, and a tool that Temporal may run again.
    readerAgent('once-more', modelUrl, { idempotent: true, stream: false }),
    readerAgent('at-most-once', modelUrl, { idempotent: false }),
  ];
  const { worker } = await createWorker({ agents, address, taskQueue: 'holdfast' });
  const code = await bundleNaive();
  const uncompressed = { address, grpcCompression: { codec: 'none' } } as const;
  const workers = [
    worker,
    await naiveWorker('naive', { address }, code, modelUrl),
    await naiveWorker('naive-uncompressed', uncompressed, code, modelUrl),
  ];
  const running = workers.map((each) => each.run());

  const holdfast = new AgentClient({ client });
  const turn = async (agent: string, workflowId: string, rounds: number) => {
    const started = await holdfast.start(agent, promptOf(rounds), { turnId: workflowId });
    const outcome = await started.result();
    if (outcome.iterations !== rounds + 1)
      throw new Error(`${agent} made ${outcome.iterations} model calls.`);
  };
  const naive = (taskQueue: string, workflowId: string, rounds: number) =>
    client.workflow.execute<typeof naiveAgent>('naiveAgent', {
      ...{ workflowId, taskQueue, args: [INSTRUCTIONS, promptOf(rounds)] },
    });
  const runs: Record<Side, (workflowId: string, rounds: number) => Promise<unknown>> = {
    holdfast: (workflowId, rounds) => turn('once-more', workflowId, rounds),
    holdfastAtMostOnce: (workflowId, rounds) => turn('at-most-once', workflowId, rounds),
    naive: (workflowId, rounds) => naive('naive', workflowId, rounds),
    naiveUncompressed: (workflowId, rounds) => naive('naive-uncompressed', workflowId, rounds),
  };
  return {
    async run(side, rounds) {
      const workflowId = `${side}-${randomUUID()}`;
      const startedAt = performance.now();
      await runs[side](workflowId, rounds);
      const ms = performance.now() - startedAt;
      const { historyLength, historySize } = await client.workflow.getHandle(workflowId).describe();
      return { ms, bytes: historySize ?? 0, events: historyLength };
    },
    async close() {
      for (const each of workers) each.shutdown();
      await Promise.all(running);
      await client.connection.close();
    },
  };
}

async function naiveWorker(
  taskQueue: string,
  to: NativeConnectionOptions,
  code: string,
  modelUrl: string,
): Promise<Worker> {
  return await Worker.create({
    connection: await NativeConnection.connect(to),
    taskQueue,
    workflowBundle: { code },
    activities: naiveActivities(modelUrl),
  });
}
