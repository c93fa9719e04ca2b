import type { CheckedCall, PlannedCall, RunToolInput } from './activities.js';
import { answeredAtOnce } from './answered-at-once.js';
import { isAroundTool, resultAround } from './around-tools.js';
import type { ArtifactNames } from './artifact-names.js';
import { AskedCalls } from './asked-calls.js';
import { callSummary } from './call-summary.js';
import type { NewEvent } from './events.js';
import { type FinalCall, NOT_CHECKED, resultOfFinal } from './final-answer.js';
import { hookEvents, isForHooks, withHookNote } from './hooks.js';
import type { Json } from './json.js';
import type { Message, ToolCallBlock, ToolResultBlock } from './messages.js';
import { type PersonDecision, withChange } from './people.js';
import type { RecordedStep } from './recorded-step.js';
import { settleToolCall, triedOf } from './settle.js';
import type { SleepMemo } from './sleep.js';
import { SleepingCalls } from './sleeping-calls.js';
import type { Steps } from './steps.js';
import { type SubAgentEnd, settleSubAgent, subAgentStep, uncheckedSubAgent } from './sub-agents.js';
import { mayStillRun, notStarted, workerLost } from './tool-results.js';
import { pendingCalls, toolMessage } from './transcript.js';
import type { TurnSettings } from './turn-settings.js';

type RunCall = Extract<PlannedCall, { do: 'run' }>;

/** What the calls of a reply are part of. */
type Turn = {
  readonly messages: Message[];
  readonly steps: Steps;
  readonly artifacts: ArtifactNames;
  readonly settings: TurnSettings | undefined;
};

/** Of a turn that is rebuilt from its recorded steps: the calls of its last reply, and what has come of them. */
export class CallsFold {
  readonly #turn: Turn;
  readonly #calls: Map<string, RunCall>;
  readonly #answered: ToolResultBlock[];
  readonly #starts = new Map<string, number>();
  readonly #results = new Map<string, ToolResultBlock>();
  /** Its result where nothing more is done about it: of a call whose worker died, or whose result is being kept. */
  readonly #lost = new Map<string, ToolResultBlock>();
  readonly #asked = new AskedCalls();
  /** What people have put in the place of sub-agents' arguments. */
  readonly #changed = new Map<string, Json>();
  /** The call that gives the answer. */
  readonly #final: FinalCall | undefined;
  readonly #sleeping: SleepingCalls;

  constructor(turn: Turn, calls: readonly PlannedCall[]) {
    this.#turn = turn;
    this.#calls = new Map(calls.flatMap((call) => (call.do === 'run' ? [[call.callId, call]] : [])));
    this.#final = calls.find((call) => call.do === 'final');
    this.#sleeping = new SleepingCalls(calls);
    this.#answered = answeredAtOnce(calls, turn.settings, turn.artifacts);
    this.#asked.begin(calls, this.#answered);
  }

  /** Those that have no result yet. */
  pending(): ToolCallBlock[] {
    return pendingCalls(this.#turn.messages).filter((call) => !this.#results.has(call.id));
  }

  /** What has its result with the reply itself. */
  answered(): NewEvent[] {
    return this.#answered.map((result) => this.#settle(result));
  }

  /** What they are asked shows once the workflow takes decisions on it: a watcher may decide at once. */
  decided(decided: readonly PersonDecision[]): NewEvent[] {
    const asked = this.#asked.takeEvents();
    const events = decided.flatMap((decision): NewEvent[] => {
      const call = this.pending().find(({ id }) => id === decision.callId);
      if (!call) return [];
      const { id, name } = call;
      const result = this.#asked.resultOf(call, decision, this.#turn.settings);
      const event: NewEvent = { type: 'decided', callId: id, name, decision };
      return result ? [event, this.#settle(result)] : [event];
    });
    return [...asked, ...events];
  }

  slept(memo: SleepMemo): NewEvent[] {
    const { begun, results } = this.#sleeping.read(memo, this.pending());
    return [...begun, ...results.map((result) => this.#settle(result))];
  }

  scheduled({ activityType, input }: Extract<RecordedStep, { kind: 'tool_scheduled' }>): NewEvent[] {
    const call = this.#calls.get(input.callId);
    if (!call || isAroundTool(activityType)) return [];
    this.#lost.delete(input.callId);
    this.#starts.set(input.callId, (this.#starts.get(input.callId) ?? 0) + 1);
    const summary = input.changed ? callSummary(call.name, input.input) : call.summary;
    return [{ type: 'tool_started', callId: call.callId, name: call.name, summary }];
  }

  ended(step: Extract<RecordedStep, { kind: 'tool_ended' }>): NewEvent[] {
    const call = this.#calls.get(step.input.callId);
    const tool = this.#turn.settings?.tools.find((each) => each.name === step.input.tool);
    if (!call || !tool) return [];
    const called = { id: call.callId, name: call.name };
    const hooks = step.end.kind === 'completed' ? hookEvents(step.end.output.hooks) : [];
    if (isAroundTool(step.activityType)) {
      const result = resultAround(step.activityType, called, step.end, this.#lost.get(call.callId));
      if (!result) return [];
      return [
        ...hooks,
        ...(tool.remote ? this.#ranElsewhere(call, step.input, result) : [this.#settle(result)]),
      ];
    }
    this.#turn.steps.ended(call.callId, triedOf(step.end));
    const settlement = settleToolCall(call, tool, step.end);
    if (settlement.do === 'result') {
      const { result } = settlement;
      return tool.remote ? this.#ranElsewhere(call, step.input, result) : [...hooks, this.#settle(result)];
    }
    if (settlement.do === 'keep') {
      this.#lost.set(call.callId, settlement.otherwise);
      return [];
    }
    const isLast = (this.#starts.get(call.callId) ?? 0) > (this.#turn.settings?.maxRestarts ?? 0);
    if (settlement.do === 'run_again' && isLast) return [this.#settle(settlement.otherwise)];
    this.#lost.set(call.callId, settlement.do === 'run_again' ? notStarted(called) : workerLost(called));
    return [];
  }

  ran({ output }: Extract<RecordedStep, { kind: 'tool_ran' }>): NewEvent[] {
    const { callId, name } = output.result;
    const call = this.#calls.get(callId);
    if (!call || this.#results.has(callId)) return [];
    this.#turn.steps.ended(callId, triedOf({ kind: 'completed', output }));
    const begun: NewEvent = { type: 'tool_started', callId, name, summary: call.summary };
    return [begun, ...hookEvents(output.hooks), this.#settle(output.result)];
  }

  answerChecked({ callId, answer }: Extract<RecordedStep, { kind: 'answer_checked' }>): NewEvent[] {
    const call = this.#final;
    if (call?.callId !== callId || this.#results.has(callId)) return [];
    return [this.#settle(resultOfFinal(call, answer ?? NOT_CHECKED))];
  }

  subAgentChecked({ callId, checked }: { callId: string; checked?: CheckedCall }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call) return [];
    if (!checked) return [this.#settle(uncheckedSubAgent({ id: callId, name: call.name }))];
    if ('result' in checked) return [this.#settle(checked.result)];
    this.#changed.set(callId, checked.input);
    return [];
  }

  subAgentScheduled({ callId, turnId }: { callId: string; turnId: string }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call) return [];
    this.#starts.set(callId, 1);
    this.#turn.steps.subAgent(callId, { turnId });
    const changed = this.#changed.get(callId);
    const { name } = call;
    const summary = changed === undefined ? call.summary : callSummary(name, changed);
    return [{ type: 'tool_started', callId, name, summary, subAgent: { turnId } }];
  }

  subAgentEnded({ callId, turnId, end }: { callId: string; turnId: string; end: SubAgentEnd }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call || this.#results.has(callId)) return [];
    this.#turn.steps.subAgent(callId, subAgentStep(turnId, end));
    const result = settleSubAgent({ id: callId, name: call.name }, end);
    const changed = this.#changed.get(callId);
    const called = changed === undefined ? call : { ...call, changed: true as const };
    return this.#hold(called, changed === undefined ? result : withChange(result, changed));
  }

  /** By a remote tool, which knows nothing of hooks. */
  #ranElsewhere(call: RunCall, { changed }: RunToolInput, result: ToolResultBlock): NewEvent[] {
    return this.#hold(changed ? { ...call, changed } : call, result);
  }

  /** Until the hooks that look at it have ended. */
  #hold(call: RunCall & { changed?: true }, result: ToolResultBlock): NewEvent[] {
    const noted = withHookNote(call, result);
    if (!isForHooks(this.#turn.settings, result)) return [this.#settle(noted)];
    this.#lost.set(result.callId, noted);
    return [];
  }

  hooked({ hooks, result }: Extract<RecordedStep, { kind: 'hooked' }>): NewEvent[] {
    if (!result) return hookEvents(hooks);
    if (this.#results.has(result.callId)) return [];
    this.#turn.steps.hooked(hooks);
    return [...hookEvents(hooks), this.#settle(result)];
  }

  /** What has no end by now was settled without it. */
  close(outcome: Extract<RecordedStep, { kind: 'closed' }>['outcome']): NewEvent[] {
    return this.pending().map((call) => {
      const running = this.#starts.has(call.id) ? mayStillRun(call, outcome) : notStarted(call, outcome);
      return this.#settle(this.#lost.get(call.id) ?? running);
    });
  }

  #settle(result: ToolResultBlock): NewEvent {
    this.#results.set(result.callId, result);
    this.#turn.steps.settled(result);
    const calls = pendingCalls(this.#turn.messages);
    if (calls.length > 0 && calls.every((call) => this.#results.has(call.id))) {
      const round = toolMessage(`${this.#turn.messages.at(-1)?.id}-results`, calls, this.#results);
      this.#turn.messages.push(this.#turn.artifacts.named(round));
    }
    return { type: 'tool_finished', callId: result.callId, name: result.name, result };
  }
}
