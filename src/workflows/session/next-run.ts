import { allHandlersFinished, condition, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { CarriedSession } from '../../shared/carried-session.js';
import type { SessionInput } from '../../shared/session.js';
import type { SessionRun } from './session-run.js';

type Session = (input: SessionInput, carried: CarriedSession) => Promise<unknown>;

/** This run's event history has got long. */
export function isNextRunDue(run: SessionRun): boolean {
  const { messagesPerRun = Number.POSITIVE_INFINITY } = run.input;
  return run.steps > 0 && (workflowInfo().continueAsNewSuggested || run.steps >= messagesPerRun);
}

/**
 * Goes on in a new run of the workflow; does not return. Whatever comes meanwhile is taken here, or by the new run: Temporal
 * gives a run that has a message waiting no end. What is on its way to the running turn is waited for, since what is sent with a
 * workflow's last task is dropped.
 */
export async function continueInNextRun(run: SessionRun): Promise<never> {
  await condition(() => allHandlersFinished() && run.onTheirWay === 0);
  const {
    earlier: _e,
    compacted: _c,
    artifacts: _a,
    title: _t,
    metadata: _m,
    limits: _l,
    ...input
  } = run.input;
  // Temporal does not pass it on by itself.
  const { memo } = run;
  const continueAsNew = makeContinueAsNewFunc<Session>({ ...(memo && { memo }) });
  return await continueAsNew(input, run.carried());
}
