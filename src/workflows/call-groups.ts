import type { Place } from './run-order.js';
import type { CallToRun } from './tool-activity.js';

type Run = (call: CallToRun) => Promise<void>;

/** Runs calls that nobody is asked about: as many side by side as may, group after group. */
export function runInGroups(calls: readonly CallToRun[], most: number, run: Run): Promise<void> {
  // The usual case needs no lanes: in the sandbox each promise costs as much as a small step.
  const [only] = calls;
  return only && calls.length === 1 ? run(only) : runGroups(calls, most, run);
}

async function runGroups(calls: readonly CallToRun[], most: number, run: Run): Promise<void> {
  for (const group of groups(calls)) await runInLanes(group, most, run);
}

async function runInLanes(waiting: CallToRun[], most: number, run: Run): Promise<void> {
  const lanes = waiting.slice(0, most).map(async () => {
    for (let call = waiting.shift(); call; call = waiting.shift()) await run(call);
  });
  await Promise.all(lanes);
}

/** Calls that may run side by side, in request order; a call that may not is a group of its own. */
function groups(calls: readonly CallToRun[]): CallToRun[][] {
  const grouped: CallToRun[][] = [];
  for (const call of calls) {
    const last = grouped.at(-1);
    if (call.tool.parallel && last?.at(-1)?.tool.parallel) last.push(call);
    else grouped.push([call]);
  }
  return grouped;
}

/** What a person has changed has a key that nobody knows: it runs beside no other. */
export function placeOf({ tool, concurrencyKey, changed }: CallToRun): Place {
  return changed && concurrencyKey !== undefined
    ? { isAlone: true, key: undefined }
    : { isAlone: !tool.parallel, key: concurrencyKey };
}

export function hasKey({ concurrencyKey }: CallToRun): boolean {
  return concurrencyKey !== undefined;
}

export function isAsked({ permission }: CallToRun): boolean {
  return permission?.policy === 'ask';
}
