import type { TurnSettings } from '../shared/turn.js';
import type { CallToRun } from './tool-activity.js';

type ResultShare = Pick<CallToRun, 'maxResultBytes' | 'maxImageBytes'>;

/** With ten calls each may give what a result may usually take. */
export function resultShare({ roundResultBytes, roundImageBytes }: TurnSettings, calls: number): ResultShare {
  return {
    ...(roundImageBytes !== undefined && calls > 1 && { maxImageBytes: Math.floor(roundImageBytes / calls) }),
    ...(roundResultBytes !== undefined &&
      calls > 10 && { maxResultBytes: Math.max(2000, Math.floor(roundResultBytes / calls)) }),
  };
}

/** Calls that may run side by side, in request order; a call that may not is a group of its own. */
export function groups(calls: readonly CallToRun[]): CallToRun[][] {
  const grouped: CallToRun[][] = [];
  for (const call of calls) {
    const last = grouped.at(-1);
    if (call.tool.parallel && last?.at(-1)?.tool.parallel) last.push(call);
    else grouped.push([call]);
  }
  return grouped;
}
