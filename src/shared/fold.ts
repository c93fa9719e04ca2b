import type { ModelReply, OutputRequest } from './activities.js';
import { ArtifactNames } from './artifact-names.js';
import { CallsFold } from './calls-fold.js';
import type { NewEvent, TurnEvent } from './events.js';
import { hookEvents } from './hooks.js';
import type { SteerMessage } from './interventions.js';
import type { Message, ToolCallBlock } from './messages.js';
import { noteMessage, type TurnNote } from './notes.js';
import {
  instructionsMessage,
  interruptionNote,
  openingMessages,
  outputRequestMessage,
  partialReply,
  steerMessage,
} from './opening.js';
import { shownPrompt } from './prompt-parts.js';
import type { ModelEnd, RecordedStep } from './recorded-step.js';
import { Steps } from './steps.js';
import type { TurnSettings } from './turn-settings.js';

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
  #calls = new CallsFold(this, []);
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
        return this.#calls.decided(step.memo.decided);
      case 'sleep':
        return this.#calls.slept(step.memo);
      case 'model_ended':
        return this.#modelEnded(step.end);
      case 'tool_scheduled':
        return this.#calls.scheduled(step);
      case 'tool_ended':
        return this.#calls.ended(step);
      case 'tool_ran':
        return this.#calls.ran(step);
      case 'answer_checked':
        return this.#calls.answerChecked(step);
      case 'sub_agent_scheduled':
        return this.#calls.subAgentScheduled(step);
      case 'sub_agent_checked':
        return this.#calls.subAgentChecked(step);
      case 'sub_agent_ended':
        return this.#calls.subAgentEnded(step);
      case 'hooked':
        return this.#calls.hooked(step);
      case 'closed':
        return [...this.#close(step.outcome), { type: 'turn_ended', outcome: step.outcome }];
      default:
        return step satisfies never;
    }
  }

  /** The calls of the last reply that have no result yet. */
  pending(): ToolCallBlock[] {
    return this.#calls.pending();
  }

  #event(at: string, attempt: number, event: NewEvent): TurnEvent {
    this.seq += 1;
    return { v: 1, seq: this.seq, turnId: this.turnId, iteration: this.iteration, attempt, at, ...event };
  }

  #start(step: Extract<RecordedStep, { kind: 'started' }>): NewEvent {
    const opening = step.earlier ?? openingMessages(step.input, step.firstRunId);
    this.messages.push(...opening.messages);
    this.artifacts.learn(opening.messages, step.carried?.artifacts ?? step.input.artifacts);
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
    if (end.kind === 'passed_over') {
      this.steps.unanswered(this.iteration, this.#model, end.output);
      return [];
    }
    const { message, calls, usage, note, hooks } = end.output;
    this.steps.replied(this.iteration, end.output);
    if (note) this.messages.push(noteMessage(this.#firstRunId, this.iteration, note));
    this.messages.push(message);
    this.#calls = new CallsFold(this, calls);
    return [
      { type: 'message', message, ...(usage && { usage }) },
      ...hookEvents(hooks),
      ...this.#calls.answered(),
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
    const settled = this.#calls.close(outcome);
    const note = interruptionNote(this.messages.at(-1)?.role, this.#firstRunId, outcome);
    if (note) this.messages.push(note);
    return settled;
  }
}
