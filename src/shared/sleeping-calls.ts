import type { PlannedCall } from './activities.js';
import type { NewEvent } from './events.js';
import type { ToolCallBlock, ToolResultBlock } from './messages.js';
import { type SleepMemo, sleptResult } from './sleep.js';

type SleepCall = Extract<PlannedCall, { do: 'sleep' }>;

/** Of the last reply's calls those that sleep, as a recorded turn tells of them. */
export class SleepingCalls {
  readonly #untold: Map<string, SleepCall>;

  constructor(calls: readonly PlannedCall[] = []) {
    this.#untold = new Map(calls.flatMap((call) => (call.do === 'sleep' ? [[call.callId, call]] : [])));
  }

  /** A start of each that has begun to sleep, once; then the results of those that woke. */
  read(
    { sleeping, woken }: SleepMemo,
    pending: readonly ToolCallBlock[],
  ): { begun: NewEvent[]; results: ToolResultBlock[] } {
    const begun = [...sleeping, ...woken].flatMap(({ callId, until }): NewEvent[] => {
      const call = this.#untold.get(callId);
      this.#untold.delete(callId);
      return call ? [{ type: 'tool_started', callId, name: call.name, summary: call.summary, until }] : [];
    });
    const results = woken.flatMap((each) => {
      const call = pending.find(({ id }) => id === each.callId);
      return call ? [sleptResult({ id: call.id, name: call.name }, each)] : [];
    });
    return { begun, results };
  }
}
