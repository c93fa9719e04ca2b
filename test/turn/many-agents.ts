import { afterAll, beforeAll, expect } from 'vitest';
import type { StartOptions } from '../../src/client/agent-client.js';
import type { FinishedTurn, TurnHandle } from '../../src/client/turn-handle.js';
import type { Agent } from '../../src/define/define-agent.js';
import type { Message } from '../../src/shared/messages.js';
import type { Model } from '../../src/shared/model-port.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { type RunningWorker, replay, withWorker } from '../../src/testing/index.js';
import { gate } from './agents.js';
import { modelsByName } from './shared-worker.js';

type Ended = { outcome: FinishedTurn; transcript: Message[] };

/** One worker for all tests of a file, with several agents; each turn brings its model. */
export function manyAgents(make: (model: Model) => [Agent, ...Agent[]]) {
  const models = modelsByName();
  const agents = make(models.model);
  const allDone = gate();
  let running: RunningWorker | undefined;
  let ended: Promise<void> | undefined;
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      const use = async (made: RunningWorker) => {
        running = made;
        resolve();
        await allDone.opened;
      };
      ended = withWorker(agents[0], use, { agents });
      ended.catch(reject);
    });
  });
  afterAll(async () => {
    allDone.open();
    await ended;
  });

  function worker(): RunningWorker {
    if (!running) throw new Error('The worker runs while tests do.');
    return running;
  }
  async function start(agent: string, model: Model, options: StartOptions = {}): Promise<TurnHandle> {
    const { client, taskQueue } = worker();
    return await client.start(agent, 'hello', { taskQueue, ...options, model: models.add(model) });
  }
  return {
    start,
    worker,
    /** Its transcript, rebuilt from the event history, is the one that the workflow had; and it replays. */
    async end(turn: TurnHandle): Promise<Ended> {
      const outcome = await turn.result();
      const transcript = await turn.transcript();
      expect(transcript.slice(-outcome.messages.length)).toEqual(outcome.messages);
      expect(transcriptProblems(transcript)).toEqual([]);
      await replay(turn.turnId);
      return { outcome, transcript };
    },
  };
}
