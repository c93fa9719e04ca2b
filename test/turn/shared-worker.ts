import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { AgentClient, StartOptions } from '../../src/client/agent-client.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { AgentOptions, AnyTool } from '../../src/define/define-agent.js';
import type { Model } from '../../src/shared/model-port.js';
import { type RunningWorker, withWorker } from '../../src/testing/test-environment.js';
import { agentWith, gate } from './agents.js';

export type SharedWorker = {
  readonly client: AgentClient;
  readonly taskQueue: string;
  /** What was read of transcripts, by all turns. */
  readonly transcripts: RunningWorker['transcripts'];
  /** Starts a turn that is answered by this model. */
  start(model: Model, prompt?: string, options?: StartOptions): Promise<TurnHandle>;
};

/** One worker for all tests of a file; its agent is named `tester`. */
export function sharedWorker(tools: readonly AnyTool[], options: Partial<AgentOptions> = {}): SharedWorker {
  const models = modelsByName();
  const allDone = gate();
  let running: RunningWorker | undefined;
  let ended: Promise<void> | undefined;

  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      ended = withWorker(agentWith(tools, { ...options, model: models.model }), async (made) => {
        running = made;
        resolve();
        await allDone.opened;
      });
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
  return {
    get client() {
      return worker().client;
    },
    get taskQueue() {
      return worker().taskQueue;
    },
    get transcripts() {
      return worker().transcripts;
    },
    async start(model, prompt = 'hello', startOptions = {}) {
      return await worker().start(prompt, { ...startOptions, model: models.add(model) });
    },
  };
}

/** One model for many turns: each is answered by the one whose name it was started with. */
export function modelsByName(): { model: Model; add(model: Model): string } {
  const models = new Map<string, Model>();
  return {
    model: {
      name: 'none',
      unpriced: (name) => models.get(name)?.unpriced?.(name),
      async call(request, context) {
        const model = models.get(request.model);
        if (!model) throw new Error(`no turn of this file has the model ${request.model}`);
        return await model.call(request, context);
      },
    },
    add(model) {
      const name = randomUUID();
      models.set(name, model);
      return name;
    },
  };
}
