import type { PlannedCall } from '../shared/activities.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { settleToolCall, startOf } from '../shared/settle.js';
import { mayStillRun, notOfThisTurn, notStarted } from '../shared/tool-results.js';
import type { TurnSettings } from '../shared/turn.js';
import type { Interventions } from './interventions.js';
import { type CallToRun, reconcileTool, runTool } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

/**
 * Runs the calls of one reply and returns one result for each, whatever happens: it never throws. Calls run side by
 * side, except that one whose tool says `parallel: false` waits for those before it and holds back those after it.
 */
export async function runToolCalls(
  run: TurnRun,
  planned: readonly PlannedCall[],
  interventions: Interventions,
): Promise<Map<string, ToolResultBlock>> {
  const round = new Round(run, planned, interventions);
  await interventions.settle(round.runAll(), round.settings.settleMs);
  return round.close();
}

class Round {
  readonly settings: TurnSettings;
  readonly #run: TurnRun;
  readonly #interventions: Interventions;
  readonly #calls: CallToRun[] = [];
  readonly #started = new Set<string>();
  readonly #results = new Map<string, ToolResultBlock>();
  #closed = false;

  constructor(run: TurnRun, planned: readonly PlannedCall[], interventions: Interventions) {
    if (!run.settings) throw new TypeError('A turn has its settings from its first reply on.');
    this.settings = run.settings;
    this.#run = run;
    this.#interventions = interventions;
    run.callStatus.clear();
    const share = resultShare(run.settings, planned.length);
    for (const [index, call] of planned.entries()) {
      const tool = run.settings.tools.find((each) => each.name === call.name);
      if (call.do === 'answer') this.#settle(call.result);
      else if (tool) this.#calls.push({ ...call, index, iteration: run.iteration - 1, tool, ...share });
      else this.#settle(notOfThisTurn(call, run.settings));
    }
    run.show();
  }

  async runAll(): Promise<void> {
    for (const group of groups(this.#calls)) {
      // One call, the usual case, needs no lanes: in the sandbox each promise costs as much as a small step.
      const [only] = group;
      if (only && group.length === 1) await this.#runOne(only);
      else await this.#runInLanes([...group]);
    }
  }

  async #runInLanes(waiting: CallToRun[]): Promise<void> {
    const lanes = waiting.slice(0, this.settings.maxParallelTools).map(async () => {
      for (let call = waiting.shift(); call; call = waiting.shift()) await this.#runOne(call);
    });
    await Promise.all(lanes);
  }

  /** What has not ended by now is settled without it; what ends later is not heard. */
  close(): Map<string, ToolResultBlock> {
    const ended = this.#howItEnds();
    for (const call of this.#calls) {
      if (this.#results.has(call.callId)) continue;
      const called = { id: call.callId, name: call.name };
      const isRunning = this.#started.has(call.callId);
      this.#settle(isRunning ? mayStillRun(called, ended) : notStarted(called, ended));
    }
    this.#closed = true;
    return this.#results;
  }

  /** Runs a call until it has a result. */
  async #runOne(call: CallToRun): Promise<void> {
    const called = { id: call.callId, name: call.name };
    for (let start = 0; ; start++) {
      if (this.#interventions.ending) return this.#settle(notStarted(called, this.#howItEnds()));
      this.#started.add(call.callId);
      this.#run.callStatus.set(call.callId, 'running');
      this.#run.show();
      const end = await runTool(this.#run, call, start);
      this.#run.steps.ended(call.callId, startOf(end));
      const settlement = settleToolCall(call, call.tool, end);
      if (settlement.do === 'result') return this.#settle(settlement.result);
      if (settlement.do === 'reconcile') return this.#settle(await reconcileTool(this.#run, call));
      if (start === this.settings.maxRestarts) return this.#settle(settlement.otherwise);
    }
  }

  #howItEnds(): string {
    return this.#interventions.ending?.kind === 'cancel' ? 'canceled' : 'interrupted';
  }

  #settle(result: ToolResultBlock): void {
    if (this.#closed) return;
    this.#results.set(result.callId, result);
    this.#run.steps.settled(result);
    this.#run.callStatus.set(result.callId, result.status);
    this.#run.show();
  }
}

type ResultShare = Pick<CallToRun, 'maxResultBytes' | 'maxImageBytes'>;

/** With ten calls each may give what a result may usually take. */
function resultShare({ roundResultBytes, roundImageBytes }: TurnSettings, calls: number): ResultShare {
  return {
    ...(roundImageBytes !== undefined && calls > 1 && { maxImageBytes: Math.floor(roundImageBytes / calls) }),
    ...(roundResultBytes !== undefined &&
      calls > 10 && { maxResultBytes: Math.max(2000, Math.floor(roundResultBytes / calls)) }),
  };
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
