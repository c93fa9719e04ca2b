import { type OutputRequest, type PlannedCall, RECONCILE_TOOL } from './activities.js';
import { answeredAtOnce } from './answered-at-once.js';
import { callSummary } from './call-summary.js';
import type { NewEvent, TurnEvent } from './events.js';
import { hookEvents, isForHooks, withHookNote } from './hooks.js';
import type { SteerMessage } from './interventions.js';
import type { Message, ToolCallBlock, ToolResultBlock } from './messages.js';
import {
  instructionsMessage,
  interruptionNote,
  openingMessages,
  outputRequestMessage,
  partialReply,
  steerMessage,
} from './opening.js';
import { type PersonDecision, resultOfDecision } from './people.js';
import { shownPrompt } from './prompt-parts.js';
import type { ModelEnd, RecordedStep } from './recorded-step.js';
import { requestEvent } from './request-event.js';
import { settleToolCall, triedOf } from './settle.js';
import { Steps } from './steps.js';
import { type SubAgentEnd, settleSubAgent, subAgentStep } from './sub-agents.js';
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
  /** Of a call whose worker died: its result where nothing more was done about it, because the turn was to end. */
  #lost = new Map<string, ToolResultBlock>();
  /** Of sub-agents whose results hooks are looking at. */
  #held = new Map<string, ToolResultBlock>();
  /** Of the last reply: the calls that people are asked about, and have not been told of yet. */
  #toAsk: NewEvent[] = [];
  #questions = new Set<string>();
  readonly #steers = new Map<string, SteerMessage>();

  /** What the turn runs with; undefined before its first reply. */
  get settings(): TurnSettings | undefined {
    return this.#settings;
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
        this.iteration = step.iteration;
        this.#modelRuns = true;
        this.#withdrawPartial();
        this.#askForOutput(step.outputRequest);
        return [...this.#deliver(step.steers), { type: 'model_started' }];
      case 'steer':
        if (!this.#steers.has(step.steer.id)) this.#steers.set(step.steer.id, step.steer);
        return [];
      case 'people':
        return this.#people(step.memo.decided);
      case 'model_ended':
        return this.#modelEnded(step.end);
      case 'tool_scheduled':
        return this.#toolScheduled(step);
      case 'tool_ended':
        return this.#toolEnded(step);
      case 'sub_agent_scheduled':
        return this.#subAgentScheduled(step);
      case 'sub_agent_ended':
        return this.#subAgentEnded(step);
      case 'hooked':
        return this.#hooked(step);
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
    this.deltaFrom = opening.deltaFrom;
    this.#settings = step.carried?.settings;
    this.#model = step.carried?.settings.model ?? step.input.model;
    if (step.carried) this.steps.resume(step.carried.steps);
    for (const steer of step.carried?.interventions.steers ?? []) this.#steers.set(steer.id, steer);
    this.turnId = step.turnId;
    this.#firstRunId = step.firstRunId;
    return { type: 'turn_started', agent: step.input.agent, prompt: shownPrompt(step.input) };
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
    const { message, calls, settings, usage, instructions, hooks } = end.output;
    if (instructions !== undefined) {
      this.messages.unshift(instructionsMessage(this.#firstRunId, instructions));
      this.deltaFrom += 1;
    }
    this.#settings = settings ?? this.#settings;
    this.#model = this.#settings?.model ?? this.#model;
    this.steps.replied(this.iteration, end.output);
    this.messages.push(message);
    this.#results.clear();
    this.#starts.clear();
    this.#lost.clear();
    this.#held.clear();
    this.#calls = new Map(calls.flatMap((call) => (call.do === 'run' ? [[call.callId, call]] : [])));
    this.#questions = new Set(calls.flatMap((call) => (call.do === 'question' ? [call.callId] : [])));
    const answered = answeredAtOnce(calls, this.#settings);
    // Nobody is asked about what has its result.
    const has = new Set(answered.map(({ callId }) => callId));
    this.#toAsk = calls.filter(({ callId }) => !has.has(callId)).flatMap(requestEvent);
    return [
      { type: 'message', message, ...(usage && { usage }) },
      ...hookEvents(hooks),
      ...answered.map((result) => this.#settle(result)),
    ];
  }

  /** What they are asked shows once the workflow takes decisions on it: a watcher may decide at once. */
  #people(decided: readonly PersonDecision[]): NewEvent[] {
    const asked = this.#toAsk.splice(0);
    const events = decided.flatMap((decision): NewEvent[] => {
      const call = this.pending().find(({ id }) => id === decision.callId);
      if (!call) return [];
      const { id, name } = call;
      const isSubAgent = this.#settings?.tools.some((tool) => tool.name === name && tool.agent);
      const kind = this.#questions.has(id) ? 'question' : isSubAgent ? 'sub_agent' : 'tool';
      const result = resultOfDecision({ id, name }, decision, kind);
      const event: NewEvent = { type: 'decided', callId: id, name, decision };
      return result ? [event, this.#settle(result)] : [event];
    });
    return [...asked, ...events];
  }

  #toolScheduled({ activityType, input }: Extract<RecordedStep, { kind: 'tool_scheduled' }>): NewEvent[] {
    const call = this.#calls.get(input.callId);
    this.#lost.delete(input.callId);
    if (!call || activityType === RECONCILE_TOOL) return [];
    this.#starts.set(input.callId, (this.#starts.get(input.callId) ?? 0) + 1);
    const summary = input.changed ? callSummary(call.name, input.input) : call.summary;
    return [{ type: 'tool_started', callId: call.callId, name: call.name, summary }];
  }

  #toolEnded(step: Extract<RecordedStep, { kind: 'tool_ended' }>): NewEvent[] {
    const call = this.#calls.get(step.input.callId);
    const tool = this.#settings?.tools.find((each) => each.name === step.input.tool);
    if (!call || !tool) return [];
    if (step.activityType === RECONCILE_TOOL) {
      const called = { id: call.callId, name: call.name };
      if (step.end.kind !== 'completed') return [this.#settle(workerLost(called))];
      return [...hookEvents(step.end.output.hooks), this.#settle(step.end.output.result)];
    }
    this.steps.ended(call.callId, triedOf(step.end));
    const { hooks } = triedOf(step.end);
    const settlement = settleToolCall(call, tool, step.end);
    if (settlement.do === 'result') return [...hookEvents(hooks), this.#settle(settlement.result)];
    const called = { id: call.callId, name: call.name };
    const isLast = (this.#starts.get(call.callId) ?? 0) > (this.#settings?.maxRestarts ?? 0);
    if (settlement.do === 'run_again' && isLast) return [this.#settle(settlement.otherwise)];
    this.#lost.set(call.callId, settlement.do === 'run_again' ? notStarted(called) : workerLost(called));
    return [];
  }

  #subAgentScheduled({ callId, turnId }: { callId: string; turnId: string }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call) return [];
    this.#starts.set(callId, 1);
    this.steps.subAgent(callId, { turnId });
    const { name, summary } = call;
    return [{ type: 'tool_started', callId, name, summary, subAgent: { turnId } }];
  }

  #subAgentEnded({ callId, turnId, end }: { callId: string; turnId: string; end: SubAgentEnd }): NewEvent[] {
    const call = this.#calls.get(callId);
    if (!call || this.#results.has(callId)) return [];
    this.steps.subAgent(callId, subAgentStep(turnId, end));
    const result = withHookNote(call, settleSubAgent({ id: callId, name: call.name }, end));
    if (!isForHooks(this.#settings, result)) return [this.#settle(result)];
    this.#held.set(callId, result);
    return [];
  }

  #hooked({ hooks, callId, result }: Extract<RecordedStep, { kind: 'hooked' }>): NewEvent[] {
    if (result === undefined || callId === undefined) return hookEvents(hooks);
    if (this.#results.has(callId)) return [];
    this.steps.hooked(hooks);
    return [...hookEvents(hooks), this.#settle(result)];
  }

  #settle(result: ToolResultBlock): NewEvent {
    this.#results.set(result.callId, result);
    this.steps.settled(result);
    const calls = pendingCalls(this.messages);
    if (calls.length > 0 && calls.every((call) => this.#results.has(call.id))) {
      this.messages.push(toolMessage(`${this.messages.at(-1)?.id}-results`, calls, this.#results));
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
    if (!request || !schema) return;
    const message = outputRequestMessage(this.#firstRunId, this.iteration, schema, request);
    // It stands there already where the call is made again.
    if (!this.messages.some(({ id }) => id === message.id)) this.messages.push(message);
  }

  /** Steering messages that the model call about to start is the first to see. */
  #deliver(ids: readonly string[]): NewEvent[] {
    const steers = ids.flatMap((id) => this.#steers.get(id) ?? []);
    this.messages.push(...steers.map(steerMessage));
    return steers.map((steer) => ({ type: 'steered', steer }));
  }

  /** An interrupted round: what had no end by then was settled without it. */
  #close(outcome: Extract<RecordedStep, { kind: 'closed' }>['outcome']): NewEvent[] {
    this.closed = true;
    // Left behind by an interrupt, or by an end from outside.
    if (this.#modelRuns) this.steps.unanswered(this.iteration, this.#model, undefined);
    const settled = this.pending().map((call) => {
      const running = this.#starts.has(call.id) ? mayStillRun(call, outcome) : notStarted(call, outcome);
      return this.#settle(this.#held.get(call.id) ?? this.#lost.get(call.id) ?? running);
    });
    if (outcome === 'interrupted' || outcome === 'canceled') {
      const note = interruptionNote(this.messages.at(-1)?.role, this.#firstRunId, outcome === 'canceled');
      if (note) this.messages.push(note);
    }
    return settled;
  }
}
