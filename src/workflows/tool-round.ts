import type { CheckedAnswer, PlannedCall } from '../shared/activities.js';
import { type FinalCall, resultOfFinal } from '../shared/final-answer.js';
import { isForHooks, withHookNote } from '../shared/hooks.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { resultOfDecision, withChange } from '../shared/people.js';
import { settleToolCall, triedOf } from '../shared/settle.js';
import { settleSubAgent, subAgentStep } from '../shared/sub-agents.js';
import { mayStillRun, notStarted } from '../shared/tool-results.js';
import type { TurnSettings } from '../shared/turn-settings.js';
import { afterCall } from './after-call.js';
import { hasKey, isAsked, placeOf, runInGroups } from './call-groups.js';
import { askChecks } from './check-answer.js';
import { checkedSubAgentCall } from './check-sub-agent-call.js';
import type { Interventions } from './interventions.js';
import type { Decided } from './people.js';
import { type AskedAnswer, approvalRequest, type Question, questionRequest } from './person-requests.js';
import { RunOrder } from './run-order.js';
import { runSubAgent, subTurnIdOf, unknownUsage, usageOf } from './run-sub-agent.js';
import { runSleep, type SleepCall } from './sleeper.js';
import { sortCalls, withInput } from './sorted-calls.js';
import { type CallToRun, reconcileTool, runTool } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

/** The calls of one reply, on their way to one result each. */
export class ToolRound {
  readonly settings: TurnSettings;
  readonly #run: TurnRun;
  readonly #interventions: Interventions;
  readonly #calls: readonly CallToRun[];
  readonly #questions: readonly Question[];
  readonly #answers: readonly AskedAnswer[];
  readonly #sleeps: readonly SleepCall[];
  readonly #final: FinalCall | undefined;
  readonly #started = new Set<string>();
  readonly #results = new Map<string, ToolResultBlock>();
  /** What results are while something is done with them: remote ones are kept, hooks look at some. */
  readonly #inShort = new Map<string, ToolResultBlock>();
  /** Its only result ends it, in the same workflow task. What a sub-agent has cost may still have to be asked for. */
  readonly #endsWithResult: boolean;
  #closed = false;

  constructor(run: TurnRun, planned: readonly PlannedCall[], interventions: Interventions) {
    if (!run.settings) throw new TypeError('A turn has its settings from its first reply on.');
    this.settings = run.settings;
    this.#run = run;
    this.#interventions = interventions;
    run.callStatus.clear();
    run.children.clear();
    const sorted = sortCalls(run, run.settings, planned);
    this.#calls = sorted.toRun;
    this.#questions = sorted.questions;
    this.#answers = sorted.answers;
    this.#sleeps = sorted.sleeps;
    this.#final = sorted.final;
    this.#endsWithResult = planned.length === 1 && !this.#calls.some(isSubAgent);
    for (const result of sorted.settled) this.#settle(result);
    run.guards.expectSubAgents(this.#calls.filter(isSubAgent).length);
  }

  /** A sub-agent has to settle its own calls first, and those below it theirs. */
  get settleMs(): number {
    const { settleMs, limits } = this.settings;
    const levels = this.#calls.some(isSubAgent) ? (limits.depth ?? 0) : 0;
    return settleMs * (1 + levels);
  }

  // Not async without need, as are those below: in the sandbox each promise costs as much as a small step.
  runAll(): Promise<unknown> {
    if (this.#sleeps.length === 0) return this.#runRest();
    const asleep = this.#sleeps.map(async (call) => {
      this.#settle(await runSleep(this.#run, call, this.#interventions));
    });
    return Promise.all([...asleep, this.#runRest()]);
  }

  #runRest(): Promise<void> {
    if (this.#final) return this.#runFinal(this.#final);
    if (this.#isOrdered()) return this.#runInOrder();
    return runInGroups(this.#calls, this.settings.maxParallelTools, (call) => this.#runOne(call));
  }

  /** Runs a call until it has a result. */
  async #runOne(call: CallToRun): Promise<void> {
    const called = { id: call.callId, name: call.name };
    for (let start = 0; ; start++) {
      if (this.#interventions.ending) return this.#settle(notStarted(called, this.#howItEnds()));
      if (call.tool.agent) return await this.#runSubAgent(call);
      this.#started.add(call.callId);
      this.#run.callStatus.set(call.callId, 'running');
      this.#run.show();
      this.#run.guards.clock.work();
      const end = await runTool(this.#run, call, start, (result) => this.#inShort.set(call.callId, result));
      this.#run.guards.clock.rest();
      this.#run.steps.ended(call.callId, triedOf(end));
      const settlement = settleToolCall(call, call.tool, end);
      if (settlement.do === 'result' && call.tool.remote)
        return await this.#settleHooked(call, settlement.result);
      if (settlement.do === 'result') return this.#settle(settlement.result);
      if (settlement.do === 'keep') return this.#settle(settlement.otherwise);
      if (settlement.do === 'reconcile') return this.#settle(await reconcileTool(this.#run, call));
      if (start === this.settings.maxRestarts) return this.#settle(settlement.otherwise);
    }
  }

  /** It is alone: the plan has seen to that. */
  async #runFinal(call: FinalCall): Promise<void> {
    const { callId, name, answer } = call;
    const { checksAnswer, finalAnswer } = this.settings;
    if (checksAnswer && this.#interventions.ending)
      return this.#settle(notStarted({ id: callId, name }, this.#howItEnds()));
    this.#run.callStatus.set(callId, 'running');
    this.#run.show();
    const passed: CheckedAnswer = { v: 1 };
    const checked = checksAnswer ? await askChecks(this.#run, answer, callId) : passed;
    if (!checked || this.#closed) return;
    if (checked.problem === undefined) this.#run.output.accept(answer, finalAnswer?.isOutput === true);
    this.#settle(resultOfFinal(call, checked));
  }

  #isOrdered(): boolean {
    const isKeyed = this.#calls.length > 1 && this.#calls.some(hasKey);
    return isKeyed || this.#questions.length + this.#answers.length > 0 || this.#calls.some(isAsked);
  }

  async #runInOrder(): Promise<void> {
    const { maxParallelTools, approvalTimeoutMs } = this.settings;
    const order = new RunOrder(maxParallelTools);
    const asked = [
      ...this.#calls.filter(isAsked),
      ...this.#answers.map(({ callId, name, asks }) => ({ callId, name, ...asks })),
    ];
    const requests = [
      ...asked.map((call) => approvalRequest(call, approvalTimeoutMs)),
      ...this.#questions.map((call) => questionRequest(call, approvalTimeoutMs)),
    ];
    const decisions =
      requests.length > 0 ? this.#run.people.ask(requests, approvalTimeoutMs) : new Map<string, never>();
    this.#run.guards.clock.holdDuring([...decisions.values()]);
    for (const { callId } of asked) this.#run.callStatus.set(callId, 'needs_approval');
    for (const { callId } of this.#questions) this.#run.callStatus.set(callId, 'needs_answer');
    this.#run.show();
    const numbers = this.#calls.map((call) => order.add(placeOf(call)));
    const calls = this.#calls.map(async (call, index) => {
      const number = numbers[index] ?? 0;
      const decision = decisions.get(call.callId);
      const approved = decision ? this.#approved(call, await decision) : call;
      if (approved) await order.run(number, () => this.#runOne(approved), placeOf(approved));
      else order.leave(number);
    });
    const questions = this.#questions.map(async (call) => {
      this.#decided(call, await decisions.get(call.callId));
    });
    const answers = this.#answers.map(async (call) => {
      if (!this.#decided(call, await decisions.get(call.callId))) this.#settle(call.result);
    });
    await Promise.all([...calls, ...questions, ...answers]);
  }

  /** The call as it is to run, or undefined where it was settled without. */
  #approved(call: CallToRun, decided: Decided | 'ended'): CallToRun | undefined {
    if (this.#decided(call, decided)) return undefined;
    this.#run.callStatus.set(call.callId, 'waiting');
    this.#run.show();
    if (decided === 'ended' || !decided.changed) return call;
    return withInput(this.#run, call, decided.changed);
  }

  /** Whether that settles the call. */
  #decided(call: Question | AskedAnswer | CallToRun, decided: Decided | 'ended' | undefined): boolean {
    const called = { id: call.callId, name: call.name };
    const kind = call.do === 'run' ? (call.tool.agent ? 'sub_agent' : 'tool') : call.do;
    const result =
      decided === undefined || decided === 'ended'
        ? notStarted(called, this.#howItEnds())
        : resultOfDecision(called, decided.decision, kind);
    if (result) this.#settle(result);
    return result !== undefined;
  }

  /** What has not ended by now is settled without it; what ends later is not heard. */
  close(): Map<string, ToolResultBlock> {
    const ended = this.#howItEnds();
    const final = this.#final ? [this.#final] : [];
    const waiting = [...this.#questions, ...this.#answers, ...this.#sleeps, ...final];
    for (const call of [...this.#calls, ...waiting]) {
      if (this.#results.has(call.callId)) continue;
      const called = { id: call.callId, name: call.name };
      if (this.#run.children.of(call.callId).subAgent) this.#run.countSpent(unknownUsage);
      const isRunning = this.#started.has(call.callId);
      const unsettled = isRunning ? mayStillRun(called, ended) : notStarted(called, ended);
      this.#settle(this.#inShort.get(call.callId) ?? unsettled);
    }
    this.#closed = true;
    return this.#results;
  }

  async #runSubAgent(given: CallToRun): Promise<void> {
    const called = { id: given.callId, name: given.name };
    const call = given.changed ? await checkedSubAgentCall(this.#run, given) : given;
    if (call && 'status' in call) return this.#settle(call);
    if (!call || this.#interventions.ending) return this.#settle(notStarted(called, this.#howItEnds()));
    this.#started.add(call.callId);
    this.#run.callStatus.set(call.callId, 'running');
    const turnId = subTurnIdOf(call);
    this.#run.children.begin(call.callId, turnId);
    this.#run.steps.subAgent(call.callId, { turnId });
    this.#run.show();
    this.#run.guards.clock.work();
    const end = await runSubAgent(this.#run, call, this.#interventions);
    this.#run.guards.clock.rest();
    if (this.#closed) return;
    this.#run.steps.subAgent(call.callId, subAgentStep(turnId, end));
    const result = settleSubAgent(called, end);
    await this.#settleHooked(call, call.changed ? withChange(result, call.input) : result);
    this.#run.countSpent(await usageOf(turnId, end));
    this.#run.guards.release(call.callId);
  }

  /** A result that no activity of ours has made; the agent's hooks look at it first. */
  async #settleHooked(call: CallToRun, result: ToolResultBlock): Promise<void> {
    const noted = withHookNote(call, result);
    if (this.#closed || !isForHooks(this.settings, result)) return this.#settle(noted);
    this.#inShort.set(call.callId, noted);
    const hooked = await afterCall(this.#run, call, result);
    if (this.#closed) return;
    this.#run.steps.hooked(hooked?.hooks ?? []);
    this.#settle(hooked?.result ?? noted);
  }

  #howItEnds(): string {
    return this.#interventions.ending?.kind === 'cancel' ? 'canceled' : 'interrupted';
  }

  #settle(result: ToolResultBlock): void {
    if (this.#closed) return;
    this.#results.set(result.callId, result);
    this.#run.steps.settled(result);
    this.#run.callStatus.set(result.callId, result.status);
    if (!this.#endsWithResult) this.#run.show();
  }
}

function isSubAgent({ tool }: CallToRun): boolean {
  return tool.agent !== undefined;
}
