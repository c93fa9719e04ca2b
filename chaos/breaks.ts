import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors, WorkerOptions } from '@temporalio/worker';

type Defect = { from: RegExp; to: string; what: string };

/** One defect each that a runner like this may well have, put into the compiled workflow of a worker. */
const IN_WORKFLOW = {
  reconcile: {
    from: /function reconcile\(messages\) \{/,
    to: '$& return messages;',
    what: 'a transcript that is handed in with a call that lacks its result is not mended',
  },
  steer: {
    from: /const taken = this\.#steers\.splice\(0\);/,
    to: 'this.#steers.splice(0); const taken = [];',
    what: 'messages that were taken never reach the model',
  },
  dedupe: {
    from: /const known = this\.receipts\.known\([^;]*steer\.id\);/,
    to: 'const known = undefined;',
    what: 'a message that comes twice under one id counts twice',
  },
} as const satisfies Record<string, Defect>;

/** The same, in the workflow of sessions. */
const IN_SESSIONS = {
  forget: {
    from: /this\.transcript\.take\(end\);/,
    to: 'if (!this.transcript.base) $&',
    what: 'what turns leave is not kept, but for the first',
  },
  overtake: {
    from: /return \[\.\.\.queue, item\];/,
    to: 'return [item, ...queue];',
    what: 'a message goes before those that wait',
  },
} as const satisfies Record<string, Defect>;

type InWorkflow = keyof typeof IN_WORKFLOW | keyof typeof IN_SESSIONS;
export type BreakName = InWorkflow | 'begun';
/** For the chaos of turns. */
export const BREAK_NAMES = [...(Object.keys(IN_WORKFLOW) as (keyof typeof IN_WORKFLOW)[]), 'begun'] as const;
/** For the soak of sessions. */
export const SESSION_BREAK_NAMES = Object.keys(IN_SESSIONS) as (keyof typeof IN_SESSIONS)[];

/** What a worker with this defect is made with. */
export function brokenWorker(name: BreakName): Pick<WorkerOptions, 'workflowBundle' | 'interceptors'> {
  return name === 'begun'
    ? { interceptors: { activity: [neverBegun] } }
    : { workflowBundle: { code: brokenBundle(name) } };
}

/** Throws where the product's workflow code has no place for the defect any more. */
function brokenBundle(name: InWorkflow): string {
  const path = fileURLToPath(new URL('../dist/workflow-bundle.js', import.meta.url));
  const code = readFileSync(path, 'utf8');
  const { from, to, what }: Defect = { ...IN_WORKFLOW, ...IN_SESSIONS }[name];
  const broken = code.replace(from, to);
  if (broken === code) throw new Error(`--break ${name} (${what}) finds nothing to break: ${from}`);
  return broken;
}

/** That a tool has begun is not recorded before its body runs: after a crash it is taken for one that had not. */
function neverBegun({ client }: Context): ActivityInterceptors {
  client.activity.heartbeat = async () => undefined;
  return {};
}
