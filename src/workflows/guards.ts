import type { CallModelInput, ModelReply } from '../shared/activities.js';
import type { CarriedGuards } from '../shared/carried.js';
import {
  type Budget,
  budgetOf,
  type ExceededBudget,
  exceededBudget,
  type Limits,
  limitsOf,
  ofShare,
  shareOf,
  smallerBudget,
} from '../shared/limits.js';
import { type Repetition, repeatedNote, repetitionIn } from '../shared/loop-guard.js';
import {
  carryOutNote,
  closingNote,
  noPlanNote,
  noteMessage,
  planNote,
  type TurnNote,
} from '../shared/notes.js';
import type { Interventions } from './interventions.js';
import type { TurnRun } from './turn-run.js';
import { WorkClock } from './work-clock.js';

/** What a turn ends by, where neither its model nor anybody else has ended it. */
export type ReachedLimit = 'max_iterations' | 'budget_exceeded' | 'loop_detected';

/** What a model call is told beside the transcript, and how it is made. */
export type Asked = { notes: TurnNote[]; withoutTools?: true; isClosing?: true };

/** The bounds of a turn: its budgets, the guard against loops, and the model calls that only plan or close. */
export class Guards {
  readonly #run: TurnRun;
  clock = new WorkClock();
  #outOfTime: () => void = () => undefined;
  /** Model calls that only made plans: no limit counts them. */
  #plans = 0;
  #plannedAt = 0;
  #carryOut = false;
  /** The last plan came to nothing: none is made before the next call. */
  #noPlan = false;
  /** Of sub-agents that run, by call id. */
  readonly #reserved = new Map<string, Budget>();
  /** Of the last reply's calls: sub-agents that have not begun. */
  #toStart = 0;

  constructor(run: TurnRun) {
    this.#run = run;
  }

  /** From here on the time counts. */
  begin(interventions: Interventions, carried: CarriedGuards | undefined): void {
    this.clock = new WorkClock(carried?.workedMs);
    this.#plans = carried?.plans ?? 0;
    this.#plannedAt = carried?.plannedAt ?? 0;
    this.#carryOut = carried?.carryOut ?? false;
    this.#noPlan = carried?.noPlan ?? false;
    this.#outOfTime = () => interventions.runOutOfTime();
    this.settled();
  }

  carried(): { guards?: CarriedGuards } {
    const carryOut = this.#carryOut && { carryOut: true as const };
    const [workedMs, plans, plannedAt] = [this.clock.workedMs, this.#plans, this.#plannedAt];
    const noPlan = this.#noPlan && { noPlan: true as const };
    return { guards: { workedMs, plans, plannedAt, ...carryOut, ...noPlan } };
  }

  /** To be called when the turn's settings are known. */
  settled(): void {
    this.clock.limitTo(this.#budget.timeMs, this.#outOfTime);
  }

  get #budget(): Budget {
    const { settings, input } = this.#run;
    if (settings) return settings.limits;
    const own = budgetOf(input.limits ?? {});
    return input.share ? smallerBudget(own, budgetOf(input.share)) : own;
  }

  /** Model calls that count. */
  get #iterations(): number {
    return this.#run.iteration - this.#plans;
  }

  /** Which budget is used up. */
  get exceeded(): ExceededBudget | undefined {
    const { usage, input } = this.#run;
    const { share } = input;
    if (share?.exceeded) return share.exceeded;
    const exceeded = exceededBudget(this.#budget, usage, this.clock.workedMs);
    return exceeded && share ? ofShare(exceeded, share) : exceeded;
  }

  /** What the outcome says of it. `isOutOfTime`: the time limit has ended what ran. */
  told(isOutOfTime: boolean): { exceeded?: ExceededBudget } {
    const { timeMs = 0 } = this.#budget;
    const exceeded = isOutOfTime
      ? { limit: 'time' as const, allowed: timeMs, spent: this.clock.workedMs }
      : this.exceeded;
    return exceeded ? { exceeded } : {};
  }

  /** Why no further model call is to be made. */
  reached(): ReachedLimit | undefined {
    if (this.exceeded) return 'budget_exceeded';
    const { loopGuard } = this.#run.settings ?? {};
    if (loopGuard && this.#repetition().times >= loopGuard.stopAfter) return 'loop_detected';
    // Before the first reply it is not known, and can't be reached either.
    const most = this.#run.settings?.limits.iterations ?? Number.POSITIVE_INFINITY;
    return this.#iterations >= most ? 'max_iterations' : undefined;
  }

  #repetition(): Repetition {
    const { loopGuard, tools = [] } = this.#run.settings ?? {};
    const mayRepeat = (name: string) => tools.some((tool) => tool.name === name && tool.repeatable);
    return repetitionIn(this.#run.transcript.messages, mayRepeat, loopGuard?.stopAfter ?? 1);
  }

  /** What the model call that is about to be made is told; it stands at the transcript's end then. */
  ask(): Asked {
    const { settings, outputRequest } = this.#run;
    if (!settings || outputRequest) return { notes: [] };
    const { loopGuard } = settings;
    const notes: TurnNote[] = [];
    const repetition = loopGuard && this.#repetition();
    if (repetition && repetition.times >= loopGuard.tellAfter)
      notes.push(repeatedNote(repetition, loopGuard));
    const plans = this.#isPlanDue(settings.planning?.every);
    if (plans) notes.push(planNote(this.#iterations));
    else if (this.#carryOut) notes.push(carryOutNote);
    // Of the first plan the transcript has no word.
    else if (this.#noPlan && this.#run.iteration > 0) notes.push(noPlanNote);
    return this.#put({ notes, ...(plans && { withoutTools: true }) });
  }

  #isPlanDue(every: number | undefined): boolean {
    const done = this.#iterations;
    return every !== undefined && done > this.#plannedAt && done % every === 0;
  }

  /** The last call, at a limit, where the agent asks for one. */
  askForClosing(limit: ReachedLimit): Asked | undefined {
    if (limit === 'budget_exceeded' || this.#run.settings?.closing !== 'answer') return undefined;
    return this.#put({ notes: [closingNote(limit, this.#closingForm)], withoutTools: true, isClosing: true });
  }

  get #closingForm(): Parameters<typeof closingNote>[1] {
    const { closesWithOutput, output } = this.#run.settings ?? {};
    return closesWithOutput && (output ?? 'final_answer');
  }

  #put(asked: Asked): Asked {
    const { transcript, firstRunId, iteration } = this.#run;
    transcript.add(...asked.notes.map((note) => noteMessage(firstRunId, iteration, note)));
    return asked;
  }

  /** Whether the reply is a plan: then the turn goes on, whatever it says. */
  isPlan(reply: ModelReply, { notes }: Asked): boolean {
    const isPlan = [...notes, ...(reply.note ? [reply.note] : [])].some(({ kind }) => kind === 'plan');
    this.#carryOut = isPlan;
    this.#noPlan = false;
    if (isPlan) {
      this.#plans += 1;
      this.#plannedAt = this.#iterations;
    }
    return isPlan;
  }

  /** The plan that the last call was to make did not come. */
  passOverPlan(): void {
    this.#carryOut = false;
    this.#noPlan = true;
    this.#plannedAt = this.#iterations;
  }

  /** What the call that is about to be made is told of plans: only the first may make one by itself. */
  planFor(notes: readonly TurnNote[]): CallModelInput['plan'] {
    if (notes.some(({ kind }) => kind === 'plan')) return 'optional';
    if (this.#run.iteration > 0) return undefined;
    return this.#noPlan ? 'none' : 'optional';
  }

  /** So many calls of the last reply are sub-agents. */
  expectSubAgents(count: number): void {
    this.#toStart = count;
  }

  /** What a sub-agent that starts now may use of the budget; it is set aside until it ends. */
  reserve(callId: string): Limits {
    const { usage } = this.#run;
    const reserved = [...this.#reserved.values()];
    const share = shareOf(this.#budget, usage, this.clock.workedMs, reserved, this.#toStart);
    this.#toStart -= 1;
    this.#reserved.set(callId, share);
    return limitsOf(share);
  }

  release(callId: string): void {
    this.#reserved.delete(callId);
  }
}
