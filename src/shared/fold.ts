import type { CheckedCall, ModelReply, OutputRequest, PlannedCall } from './activities.js';
import { answeredAtOnce } from './answered-at-once.js';
import { isAroundTool, resultAround } from './around-tools.js';
import { ArtifactNames } from './artifact-names.js';
import { AskedCalls } from './asked-calls.js';
import { callSummary } from './call-summary.js';
import type { NewEvent, TurnEvent } from './events.js';
import { type FinalCall, NOT_CHECKED, resultOfFinal } from './final-answer.js';
import type { SteerMessage } from './interventions.js';
import type { Json } from './json.js';
import type { Message, ToolCallBlock, ToolResultBlock } from './messages.js';
import { noteMessage, type TurnNote } from './notes.js';
import {
  instructionsMessage,
  interruptionNote,
  openingMessages,
  outputRequestMessage,
  partialReply,
  steerMessage,
} from './opening.js';
import { type PersonDecision, withChange } from './people.js';
import { shownPrompt } from './prompt-parts.js';
import type { ModelEnd, RecordedStep } from './recorded-step.js';
import { settleToolCall, triedOf } from './settle.js';
import type { SleepMemo } from './sleep.js';
import { SleepingCalls } from './sleeping-calls.js';
import { Steps } from './steps.js';
import { type SubAgentEnd, settleSubAgent, subAgentStep, uncheckedSubAgent } from './sub-agents.js';
import { mayStillRun, notStarted, workerLost } from './tool-results.js';
import { pendingCalls, toolMessage } from './transcript.js';
import type { TurnSettings } from './turn.js';

type RunCall = Extract<PlannedCall, { do: 'run' }>;
/**
 * Rebuilds a turn from its recorded steps alone: its messages, and the events that a watcher sees. It settles tool
 * calls by the same function as the workflow, so that the two can't tell different stories.
 */
export class TurnFold {
  readonly messages: Message[] = [];
  readonly steps = new Steps();
  readonly artifacts = new ArtifactNames();
  /** Where this turn's own messages begin. */
  deltaFrom = 0;
  turnId = '';
  iteration = 0;
  seq = 0;
  closed = false;
  #firstRunId = '';
  #model: string | undefined;
  #modelRuns = false;
  #settings: TurnSettings | undefined;
  #calls = new Map<string, RunCall>();
  #starts = new Map<string, number>();
  #results = new Map<string, ToolResultBlock>();
  /** Its result where nothing more is done about it: of a call whose worker died, or whose result is being kept. */
  #lost = new Map<string, ToolResultBlock>();
  readonly #asked = new AskedCalls();
  /** What people have put in the place of sub-agents' arguments. */
  #changed = new Map<string, Json>();
  /** The call of the last reply that gives the answer. */
  #final: FinalCall | undefined;
  #sleeping = new SleepingCalls();
  readonly #steers = new Map<string, SteerMessage>();
  readonly #delivered = new Set<string>();

  /** What the turn runs with; undefined before its first reply. */
  get settings(): TurnSettings | undefined {
    return this.#settings;
  }

  /** The messages sent into the turn that no model call has seen, and the ids of those that one has. */
  get sent(): { undelivered: SteerMessage[]; delivered: string[] } {
    const undelivered = [...this.#steers.values()].filter(({ id }) => !this.#delivered.has(id));
    return { undelivered, delivered: [...this.#delivered] };
  }

  /** The recorded events that the step makes, each with the next `seq`. */
  apply(step: RecordedStep): TurnEvent[] {
    const attempt = 'attempt' in step ? step.attempt : 0;
    return this.#eventsOf(step).map((event) => this.#event(step.at, attempt, event));
  }

  #eventsOf(step: RecordedStep): NewEvent[] {
    switch (step.kind) {
      case 'started':
        return [this.#start(step)];
      case 'model_scheduled':
        return this.#modelScheduled(step);
      case 'compaction_scheduled':
        this.iteration = step.iteration;
        return [{ type: 'compaction_started', trigger: step.trigger }];
      case 'compaction_ended':
        if (!step.end.interrupted) this.steps.compacted(step.end.record);
        return [{ type: 'compaction', ...step.end.record }];
      case 'steer':
        if (!this.#steers.has(step.steer.id)) this.#steers.set(step.steer.id, step.steer);
        return [];
      case 'people':
        return this.#people(step.memo.decided);
      case 'sleep':
        return this.#slept(step.memo);
      case 'model_ended':
        return this.#modelEnded(step.end);
      case 'tool_scheduled':
        return this.#toolScheduled(step);
      case 'tool_ended':
        return this.#toolEnded(step);
      case 'tool_ran':
        return this.#toolRan(step);
      case 'answer_checked':
        return this.#answerChecked(step);
      case 'sub_agent_scheduled':
        return this.#subAgentScheduled(step);
      case 'sub_agent_checked':
        return this.#subAgentChecked(step);
      case 'sub_agent_ended':
        return this.#subAgentEnded(step);
      case 'closed':
        return [...this.#close(step.outcome), { type: 'turn_ended', outcome: step.outcome }];
      default:
        return step satisfies never;
    }
  }

  /** The calls of the last reply that have no result yet. */
  pending(): ToolCallBlock[] {
    return pendingCalls(this.messages).filter((call) => !this.#results.has(call.id));
  }

  #event(at: string, attempt: number, event: NewEvent): TurnEvent {
    this.seq += 1;
    return { v: 1, seq: this.seq, turnId: this.turnId, iteration: this.iteration, attempt, at, ...event };
  }

  #start(step: Extract<RecordedStep, { kind: 'started' }>): NewEvent {
    const opening = step.earlier ?? openingMessages(step.input, step.firstRunId);
    this.messages.push(...opening.messages);
    this.artifacts.learn(opening.messages, step.carried?.artifacts);
    this.deltaFrom = opening.deltaFrom;
    this.#settings = step.carried?.settings;
    this.#model = step.carried?.settings.model ?? step.input.model;
    if (step.carried) this.steps.resume(step.carried.steps);
    for (const steer of step.carried?.interventions.steers ?? []) this.#steers.set(steer.id, steer);
    this.turnId = step.turnId;
    this.#firstRunId = step.firstRunId;
    return { type: 'turn_started', agent: step.input.agent, prompt: shownPrompt(step.input) };
  }

  #modelScheduled(step: Extract<RecordedStep, { kind: 'model_scheduled' }>): NewEvent[] {
    this.iteration = step.iteration;
    this.#modelRuns = true;
    this.#withdrawPartial();
    const delivered = this.#deliver(step.steers);
    this.#askForOutput(step.outputRequest);
    return [...delivered, ...this.#tell(step.notes), { type: 'model_started' }];
  }

  #modelEnded(end: ModelEnd): NewEvent[] {
    this.#modelRuns = false;
    if (end.kind === 'failed') {
      this.steps.unanswered(this.iteration, this.#model, end.told, `${end.type}: ${end.text}`);
      return [];
    }
    if (end.kind === 'canceled') {
      this.steps.unanswered(this.iteration, this.#model, end.told);
      if (end.text.trim() === '') return [];
      const message = partialReply(this.#firstRunId, this.iteration, end.text);
      this.messages.push(message);
      return [{ type: 'message', message }];
    }
    this.#resolve(end.output);
    if (end.kind === 'too_long') {
      this.steps.unanswered(this.iteration, this.#model, end.output);
      return [];
    }
    const { message, calls, usage, note } = end.output;
    this.steps.replied(this.iteration, end.output);
    if (note) this.messages.push(noteMessage(this.#firstRunId, this.iteration, note));
    this.messages.push(message);
    this.#results.clear();
    this.#starts.clear();
    this.#lost.clear();
    this.#changed.clear();
    this.#calls = new Map(calls.flatMap((call) => (call.do === 'run' ? [[call.callId, call]] : [])));
    this.#final = calls.find((call) => call.do === 'final');
    this.#sleeping = new SleepingCalls(calls);
    const answered = answeredAtOnce(calls, this.#settings, this.artifacts);
    this.#asked.begin(calls, answered);
    return [
      { type: 'message', message, ...(usage && { usage }) },
      ...answered.map((result) => this.#settle(result)),
    ];
  }

  /** What the first model call has settled. */
  #resolve({ settings, instructions }: Pick<ModelReply, 'settings' | 'instructions'>): void {
    if (instructions !== undefined) {
      this.messages.unshift(instructionsMessage(this.#firstRunId, instructions));
      this.deltaFrom += 1;
    }
    this.#settings = settings ?? this.#settings;
    this.#model = this.#settings?.model ?? this.#model;
  }

  /** What they are asked shows once the workflow takes decisions on it: a watcher may decide at once. */
  #people(decided: readonly PersonDecision[]): NewEvent[] {
    const asked = this.#asked.takeEvents();
    const events = decided.flatMap((decision): NewEvent[] => {
      const call = this.pending().find(({ id }) => id === decision.callId);
      if (!call) return [];
      const { id, name } = call;
      const result = this.#asked.resultOf(call, decision, this.#settings);
      const event: NewEvent = { type: 'decided', callId: id, name, decision };
      return result ? [event, this.#settle(result)] : [event];
    });
    return [...asked, ...events];
  }

  #slept(memo: SleepMemo): NewEvent[] {
    const { begun, results } = this.#sleeping.read(memo, this.pending());
    return [...begun, ...results.map((result) => this.#settle(result))];
  }

  #toolScheduled({ activityType, input }: Extract<RecordedStep, { kind: 'tool_scheduled' }>): NewEvent[] {
    const call = this.#calls.get(input.callId);
    if (!call || isAroundTool(activityType)) return [];
    this.#lost.delete(input.callId);
    this.#starts.set(input.callId, (this.#starts.get(input.callId) ?? 0) + 1);
    const summary = input.changed ? callSummary(call.name, input.input) : call.summary;
    return [{ type: 'tool_started', callId: call.callId, name: call.name, summary }];
  }

  #toolEnded(step: Extract<RecordedStep, { kind: 'tool_ended' }>): NewEvent[] {
    const call = this.#calls.get(step.input.callId);
    const tool = this.#settings?.tools.find((each) => each.name === step.input.tool);
    if (!call || !tool) return [];
    const called = { id: call.callId, name: call.name };
    if (isAroundTool(step.activityType)) {
      const result = resultAround(step.activityType, called, step.end, this.#lost.get(call.callId));
      return result ? [this.#settle(result)] : [];
    }
    this.steps.ended(call.callId, triedOf(step.end));
    const settlement = settleToolCall(call, tool, step.end);
    if (settlement.do === 'result') return [this.#settle(settlement.result)];
    if (settlement.do === 'keep') {
      this.#lost.set(call.callId, settlement.otherwise);
      return [];
    }
    const isLast = (this.#starts.get(call.callId) ?? 0) > (this.#settings?.maxRestarts ?? 0);
    if (settlement.do === 'run_again' && isLast) return [this.#settle(settlement.otherwise)];
    this.#lost.set(call.callId, settlement.do === 'run_again' ? notStarted(called) : workerLost(called));
    return [];
  }

  #toolRan({ output }: Extract<RecordedStep, { kind: 'tool_ran' }>): NewEvent[] {
    const { callId, name } = output.result;
    const call = this.#calls.get(callId);
    if (!call || this.#results.has(callId)) return [];
    this.steps.ended(callId, triedOf({ kind: 'completed', output }));
    return [{ type: 'tool_started', callId, name, summary: call.summary }, this.#settle(output.result)];
  }

  #answerChecked({ callId, answer }: Extract<RecordedStep, { kind: 'answer_checked' }>): NewEvent[] {
    const call = this.#final;
    if (call?.callId !== callId || this.#results.has(callId)) return [];
    return [this.#settle(resultOfFinal(call, answer ?? NOT_CHECKED))];
  }

  #subAgentChecked({ callId, checked }: { callId: string; checked?: CheckedCall }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call) return [];
    if (!checked) return [this.#settle(uncheckedSubAgent({ id: callId, name: call.name }))];
    if ('result' in checked) return [this.#settle(checked.result)];
    this.#changed.set(callId, checked.input);
    return [];
  }

  #subAgentScheduled({ callId, turnId }: { callId: string; turnId: string }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call) return [];
    this.#starts.set(callId, 1);
    this.steps.subAgent(callId, { turnId });
    const changed = this.#changed.get(callId);
    const { name } = call;
    const summary = changed === undefined ? call.summary : callSummary(name, changed);
    return [{ type: 'tool_started', callId, name, summary, subAgent: { turnId } }];
  }

  #subAgentEnded({ callId, turnId, end }: { callId: string; turnId: string; end: SubAgentEnd }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call || this.#results.has(callId)) return [];
    this.steps.subAgent(callId, subAgentStep(turnId, end));
    const result = settleSubAgent({ id: callId, name: call.name }, end);
    const changed = this.#changed.get(callId);
    return [this.#settle(changed === undefined ? result : withChange(result, changed))];
  }

  #settle(result: ToolResultBlock): NewEvent {
    this.#results.set(result.callId, result);
    this.steps.settled(result);
    const calls = pendingCalls(this.messages);
    if (calls.length > 0 && calls.every((call) => this.#results.has(call.id))) {
      const round = toolMessage(`${this.messages.at(-1)?.id}-results`, calls, this.#results);
      this.messages.push(this.artifacts.named(round));
    }
    return { type: 'tool_finished', callId: result.callId, name: result.name, result };
  }

  /** The server lost the interrupt that had cut a call, and the call is made again: what had come of it goes. */
  #withdrawPartial(): void {
    const [block] = this.messages.at(-1)?.content ?? [];
    if (block?.type === 'text' && block.partial && this.messages.length > this.deltaFrom) this.messages.pop();
  }

  #askForOutput(request: OutputRequest | undefined): void {
    const schema = this.#settings?.output?.schema;
    const message = request && outputRequestMessage(this.#firstRunId, this.iteration, schema, request);
    // It stands there already where the call is made again.
    if (message && !this.messages.some(({ id }) => id === message.id)) this.messages.push(message);
  }

  /** Steering messages that the model call about to start is the first to see. */
  #deliver(ids: readonly string[]): NewEvent[] {
    const steers = ids.flatMap((id) => this.#steers.get(id) ?? []);
    for (const id of ids) this.#delivered.add(id);
    this.messages.push(...steers.map(steerMessage));
    return steers.map((steer) => ({ type: 'steered', steer }));
  }

  /** They stand there already where the call is made again. */
  #tell(notes: readonly TurnNote[] = []): NewEvent[] {
    const told = notes.map((note) => noteMessage(this.#firstRunId, this.iteration, note));
    this.messages.push(...told.filter(({ id }) => !this.messages.some((message) => message.id === id)));
    return [];
  }

  /** An interrupted round: what had no end by then was settled without it. */
  #close(outcome: Extract<RecordedStep, { kind: 'closed' }>['outcome']): NewEvent[] {
    this.closed = true;
    // Left behind by an interrupt, or by an end from outside.
    if (this.#modelRuns) this.steps.unanswered(this.iteration, this.#model, undefined);
    const settled = this.pending().map((call) => {
      const running = this.#starts.has(call.id) ? mayStillRun(call, outcome) : notStarted(call, outcome);
      return this.#settle(this.#lost.get(call.id) ?? running);
    });
    const note = interruptionNote(this.messages.at(-1)?.role, this.#firstRunId, outcome);
    if (note) this.messages.push(note);
    return settled;
  }
}
