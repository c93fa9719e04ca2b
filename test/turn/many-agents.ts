import { afterAll, expect } from 'vitest';
import type { StartOptions } from '../../src/client/agent-client.js';
import type { FinishedTurn } from '../../src/client/finished-turn.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { Agent } from '../../src/define/define-agent.js';
import type { Message } from '../../src/shared/messages.js';
import type { Model } from '../../src/shared/model-port.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { replay } from '../../src/testing/index.js';
import { heldWorker } from './held-worker.js';
import { modelsByName } from './shared-worker.js';

type Ended = { outcome: FinishedTurn; transcript: Message[] };

/** One worker for all tests of a file, with several agents; each turn brings its model. */
export function manyAgents(make: (model: Model) => [Agent, ...Agent[]]) {
  const models = modelsByName();
  const agents = make(models.model);
  const held = heldWorker(agents);
  afterAll(held.end);

  async function start(agent: string, model: Model, options: StartOptions = {}): Promise<TurnHandle> {
    const { client, taskQueue } = held.running();
    return await client.start(agent, 'hello', { taskQueue, ...options, model: models.add(model) });
  }
  return {
    start,
    worker: held.running,
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
