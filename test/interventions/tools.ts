import type { z } from 'zod';
import type { AnyTool } from '../../src/define/define-agent.js';
import type { ToolOptions } from '../../src/define/define-tool.js';
import { countedTool, gate } from '../turn/agents.js';

type Policies = Partial<
  Pick<ToolOptions<z.ZodType, unknown>, 'idempotent' | 'parallel' | 'timeout' | 'reconcile'>
>;

export type HeldTool = {
  tool: AnyTool;
  runs: unknown[];
  /** Resolves when its body runs. */
  running: Promise<void>;
  /** Lets its body return. */
  release: () => void;
};

/** Runs until it is released or told to stop. */
export function heldTool(name = 'hold', policies: Policies = {}): HeldTool {
  const [running, released] = [gate(), gate()];
  const { tool, runs } = countedTool(
    name,
    {},
    async (_args, { signal }) => {
      running.open();
      await Promise.race([released.opened, untilThrown(signal)]);
      return `${name} ended`;
    },
    policies,
  );
  return { tool, runs, running: running.opened, release: released.open };
}

/** Runs until it is released, whoever tells it to stop. */
export function deafTool(name = 'deaf', policies: Policies = {}): HeldTool {
  const [running, released] = [gate(), gate()];
  const run = async () => {
    running.open();
    await released.opened;
    return `${name} ended`;
  };
  const { tool, runs } = countedTool(name, {}, run, policies);
  return { tool, runs, running: running.opened, release: released.open };
}

function untilThrown(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
