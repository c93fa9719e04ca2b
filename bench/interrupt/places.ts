import { NativeConnection, Worker } from '@temporalio/worker';
import { defineAgent, defineTool } from 'holdfast';
import { AgentClient } from 'holdfast/client';
import { reply, scriptedModel, text, toolCall } from 'holdfast/testing';
import { createWorker } from 'holdfast/worker';
import { z } from 'zod';
import { holdfastActivities } from '../../dist/activities/activities.js';
import { Agents } from '../../dist/activities/agents.js';
import { Interrupts } from '../../dist/activities/interrupts.js';
import { Recent } from '../../dist/activities/recent.js';
import { ToolSetups } from '../../dist/activities/tool-setups.js';
import { TranscriptCache } from '../../dist/activities/transcript-cache.js';
import { TranscriptReader } from '../../dist/activities/transcript-reader.js';
import { Artifacts } from '../../dist/artifacts/artifacts.js';
import { localArtifacts } from '../../dist/artifacts/local-artifacts.js';
import { McpConnections } from '../../dist/mcp/connections.js';
import { readTurn } from '../../dist/worker/read-turn.js';

/** Where the activity runs: in its workflow's worker, or in another. */
export type Place = 'same' | 'other';
export type Running = 'tool' | 'model';

export type Places = {
  /** Runs one turn, interrupts what runs, and says how long it took from the signal to the result, in ms. */
  interrupted(place: Place, running: Running): Promise<number>;
  close(): Promise<void>;
};

let begun: () => void = () => undefined;

const wait = defineTool({
  name: 'wait',
  description: 'Waits until it is stopped.',
  input: z.object({}),
  run: (_args, { signal }) => {
    begun();
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
});

const model = scriptedModel([
  (messages) => {
    if (JSON.stringify(messages.at(-1)).includes('tool')) return toolCall('wait');
    begun();
    return { ...reply(text('never')), delayMs: Number.POSITIVE_INFINITY };
  },
]);

export async function openPlaces(address: string): Promise<Places> {
  const agent = defineAgent({ name: 'waiter', instructions: 'Wait.', model, tools: [wait] });
  const connection = await NativeConnection.connect({ address });
  const client = await AgentClient.connect({ address });
  const same = await createWorker({ agents: [agent], connection, taskQueue: 'same' });
  const workflowsOnly = await createWorker({
    ...{ agents: [agent], connection, taskQueue: 'other' },
    worker: { enableNonLocalActivities: false },
  });
  const artifacts = new Artifacts(localArtifacts());
  const activitiesOnly = await Worker.create({
    ...{ connection, taskQueue: 'other', maxHeartbeatThrottleInterval: '50 milliseconds' },
    activities: holdfastActivities({
      agents: new Agents([agent]),
      modelFor: () => model,
      transcripts: new TranscriptReader(new TranscriptCache(), artifacts),
      artifacts,
      interrupts: new Interrupts(),
      mcp: new McpConnections(),
      setups: new ToolSetups(() => undefined),
      catalogs: new Recent(1),
      readTurn,
      isDraining: () => false,
    }),
  });
  const workers = [same.worker, workflowsOnly.worker, activitiesOnly];
  const running = workers.map((worker) => worker.run());
  return {
    async interrupted(place, what) {
      const started = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const turn = await client.start('waiter', `Wait in a ${what}.`, { taskQueue: place });
      await started;
      const startedAt = performance.now();
      await turn.interrupt('bench');
      const outcome = await turn.result();
      if (outcome.type !== 'interrupted') throw new Error(`The turn ended as ${outcome.type}.`);
      return performance.now() - startedAt;
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await client.close();
      await connection.close();
    },
  };
}
