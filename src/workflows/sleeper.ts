import { CancellationScope, sleep, upsertMemo } from '@temporalio/workflow';
import type { PlannedCall } from '../shared/activities.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { SLEEP_MEMO, type Sleeping, type SleepMemo, sleptResult, type Woken } from '../shared/sleep.js';
import { notStarted } from '../shared/tool-results.js';
import { wireLine } from '../shared/wire-text.js';
import type { Interventions } from './interventions.js';
import type { TurnRun } from './turn-run.js';
import type { WorkClock } from './work-clock.js';

export type SleepCall = Extract<PlannedCall, { do: 'sleep' }>;

/** Calls that sleep, each on a durable timer: no worker is busy with them. A turn's time stands still meanwhile. */
export class Sleeper {
  readonly #sleeping = new Map<string, Sleeping>();

  /** ISO 8601, by call id. */
  untilOf(callId: string): { until?: string } {
    const until = this.#sleeping.get(callId)?.until;
    return until === undefined ? {} : { until };
  }

  /** Until the time has come, or a message that joins the turn; 'ended' where the turn is to end before. */
  async sleep(call: SleepCall, interventions: Interventions, clock: WorkClock): Promise<Woken | 'ended'> {
    if (interventions.ending) return 'ended';
    const { callId, until } = call;
    this.#sleeping.set(callId, { callId, until });
    const left = Date.parse(until) - Date.now();
    clock.hold();
    try {
      const isAtOnce = left <= 0 || interventions.hasSteers;
      if (!isAtOnce) this.#record([]);
      const by = left <= 0 ? 'time' : isAtOnce ? 'message' : await this.#wait(call, left, interventions);
      this.#sleeping.delete(callId);
      if (by === 'ended') return by;
      const woken = { callId, until, at: new Date(Date.now()).toISOString(), by };
      this.#record([woken]);
      return woken;
    } finally {
      clock.release();
    }
  }

  async #wait(
    { summary }: SleepCall,
    ms: number,
    interventions: Interventions,
  ): Promise<Woken['by'] | 'ended'> {
    const timer = new CancellationScope();
    const stops: (() => void)[] = [];
    try {
      return await new Promise<Woken['by'] | 'ended'>((resolve) => {
        stops.push(interventions.onSteer(() => resolve('message')));
        stops.push(interventions.onEnding(() => resolve('ended')));
        timer
          .run(() => sleep(ms, { summary: wireLine(summary) }))
          .then(
            () => resolve('time'),
            () => resolve('ended'),
          );
      });
    } finally {
      for (const stop of stops) stop();
      timer.cancel();
    }
  }

  #record(woken: Woken[]): void {
    const memo: SleepMemo = { v: 1, sleeping: [...this.#sleeping.values()], woken };
    upsertMemo({ [SLEEP_MEMO]: memo });
  }
}

/** Runs a call that sleeps; it has its result when it wakes, or when the turn is to end. */
export async function runSleep(
  run: TurnRun,
  call: SleepCall,
  interventions: Interventions,
): Promise<ToolResultBlock> {
  const called = { id: call.callId, name: call.name };
  run.callStatus.set(call.callId, 'sleeping');
  const sleeping = run.sleeper.sleep(call, interventions, run.guards.clock);
  run.show();
  const woken = await sleeping;
  if (woken !== 'ended') return sleptResult(called, woken);
  return notStarted(called, interventions.ending?.kind === 'cancel' ? 'canceled' : 'interrupted');
}
