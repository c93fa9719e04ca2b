import type { ToolResultBlock } from './messages.js';

/**
 * The workflow's memo that tells which calls sleep and which have just woken. As the one about people it is part of the event
 * history, from which a watcher and a rebuilt transcript have it, and of the list of workflows.
 */
export const SLEEP_MEMO = 'holdfast.sleep';

/** ISO 8601 times. */
export type Sleeping = { callId: string; until: string };
export type Woken = Sleeping & { at: string; by: 'time' | 'message' };

export type SleepMemo = { v: 1; sleeping: Sleeping[]; woken: Woken[] };

/** The result of a call that slept. */
export function sleptResult(called: { id: string; name: string }, { until, at, by }: Woken): ToolResultBlock {
  const text =
    by === 'time'
      ? `It is ${at}: the time has come.`
      : `It is ${at}: a message has come, which follows. The time, ${until}, has not come yet; call ${called.name} again if you still want to wait for it.`;
  const content = [{ type: 'text' as const, id: `${called.id}.0`, text }];
  return { type: 'tool_result', callId: called.id, name: called.name, status: 'ok', content };
}
