import { beforeAll } from 'vitest';
import type { Agent } from '../../src/define/define-agent.js';
import { type RunningWorker, withWorker } from '../../src/testing/test-environment.js';
import { gate } from './agents.js';

/** A worker that runs from before a file's first test until `end`. */
export function heldWorker(agents: readonly [Agent, ...Agent[]]) {
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
      ended = withWorker(agents[0], use, { agents: [...agents] });
      ended.catch(reject);
    });
  });
  return {
    running(): RunningWorker {
      if (!running) throw new Error('The worker runs while tests do.');
      return running;
    },
    async end(): Promise<void> {
      allDone.open();
      await ended;
    },
  };
}
