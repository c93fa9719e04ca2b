import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ModelReply, OutputRequest } from '../shared/activities.js';
import { ArtifactNames } from '../shared/artifact-names.js';
import type { CarriedInterventions, CarriedTurn, TranscriptSegment } from '../shared/carried.js';
import type { CompactionSettings } from '../shared/compaction/settings.js';
import type { CompactReply } from '../shared/compaction/wire.js';
import { finalTextIn } from '../shared/final-answer.js';
import type { SteerMessage } from '../shared/interventions.js';
import { textOf, toolCallsOf } from '../shared/messages.js';
import { noteMessage } from '../shared/notes.js';
import {
  instructionsMessage,
  interruptionNote,
  openingMessages,
  outputRequestMessage,
  steerMessage,
} from '../shared/opening.js';
import { Steps } from '../shared/steps.js';
import type { CallStatus, OutcomeType, TurnOutcome, TurnState } from '../shared/turn.js';
import type { TurnInput } from '../shared/turn-input.js';
import type { TurnSettings } from '../shared/turn-settings.js';
import { addUsage, joinUsage, noUsage, type TurnUsage } from '../shared/usage.js';
import { boundedText } from '../shared/wire-text.js';
import { ChildTurns } from './child-turns.js';
import { TurnCompaction } from './compaction.js';
import { DetailsTable } from './details-table.js';
import { Guards } from './guards.js';
import type { Interventions } from './interventions.js';
import type { People } from './people.js';
import { Sleeper } from './sleeper.js';
import { Transcript } from './transcript.js';
import { outcomeOf } from './turn-outcome.js';
import { TurnOutput } from './turn-output.js';
import { answerQueries } from './turn-queries.js';
import { stateOf } from './turn-state.js';

const CARRIED_TEXT_BYTES = 50_000;

/** What one running turn knows. All of it is declared before the first handler is set: a buffered message runs in it. */
export class TurnRun {
  readonly input: TurnInput;
  readonly people: People;
  readonly compaction = new TurnCompaction();
  readonly turnId = workflowInfo().workflowId;
  readonly firstRunId = workflowInfo().firstExecutionRunId;
  readonly transcript = new Transcript();
  /** Model calls that answered. */
  iteration = 0;
  usage: TurnUsage = noUsage;
  settings: TurnSettings | undefined;
  readonly steps = new Steps();
  readonly artifacts = new ArtifactNames();
  /** Of the calls of the last reply, by call id. */
  readonly callStatus = new Map<string, CallStatus>();
  readonly children = new ChildTurns();
  readonly guards = new Guards(this);
  readonly sleeper = new Sleeper();
  /** Settles when what remote tools have returned may be handed on: one at a time. */
  keeping: Promise<void> = Promise.resolve();
  #outcome: TurnOutcome['type'] | undefined;
  /** Model calls that had answered before this run of the workflow. */
  #firstIteration = 0;
  /** Replies in a row that the output limit has cut. */
  #truncated = 0;
  /** How many model calls this run of the workflow makes at least. */
  nextRunFrom = 1;
  readonly output = new TurnOutput();
  /** Of the last reply, where an earlier run had it. */
  #text = '';
  readonly #details = new DetailsTable();

  constructor(input: TurnInput, people: People) {
    this.input = input;
    this.people = people;
  }

  /**
   * Puts what the caller handed in, mended where it was not valid, and the prompt into the transcript; or goes on with
   * what an earlier run of the workflow has carried over.
   */
  begin(carried: CarriedTurn | undefined): void {
    answerQueries(this);
    if (carried) {
      this.#resume(carried);
    } else {
      const { messages, deltaFrom } = openingMessages(this.input, this.firstRunId);
      this.transcript.open(messages, deltaFrom, this.input.earlier);
      this.artifacts.learn(messages, this.input.artifacts);
    }
    this.show();
  }

  #resume(carried: CarriedTurn): void {
    this.iteration = carried.iteration;
    this.#firstIteration = carried.iteration;
    this.usage = carried.usage;
    this.steps.resume(carried.steps);
    this.settings = carried.settings;
    this.#truncated = carried.truncatedInARow;
    this.#text = carried.text;
    this.output.resume(carried.output);
    this.transcript.resume(carried.transcript);
    this.compaction.resume(carried.compaction, this.transcript);
    this.artifacts.learn([], carried.artifacts);
  }

  /** For the next run of the workflow; `segments` hold the transcript where it is not small. */
  carried(
    settings: TurnSettings,
    segments: TranscriptSegment[] | undefined,
    interventions: CarriedInterventions,
  ): CarriedTurn {
    return {
      v: 1,
      iteration: this.iteration,
      usage: this.usage,
      settings,
      truncatedInARow: this.#truncated,
      text: boundedText(this.lastText, CARRIED_TEXT_BYTES),
      ...this.output.carried(),
      ...this.people.carried,
      ...this.compaction.carried(settings, this.transcript),
      ...this.artifacts.carried(),
      ...this.guards.carried(),
      transcript: this.transcript.carried(segments),
      interventions,
    };
  }

  /** Model calls of this run of the workflow that answered. */
  get iterationsOfRun(): number {
    return this.iteration - this.#firstIteration;
  }

  /** What the first model call has settled. */
  takeSettings({ settings, instructions }: Pick<ModelReply, 'settings' | 'instructions'>): void {
    this.settings = settings ?? this.settings;
    if (instructions !== undefined) this.transcript.begin(instructionsMessage(this.firstRunId, instructions));
    if (settings) this.guards.settled();
  }

  count(reply: ModelReply): void {
    this.takeSettings(reply);
    if (reply.note) this.transcript.add(noteMessage(this.firstRunId, this.iteration, reply.note));
    this.compaction.size.replied(reply.usage ?? {}, this.transcript);
    this.usage = addUsage(this.usage, reply.usage);
    this.countSpent(reply.spent ?? noUsage);
    this.steps.replied(this.iteration, reply);
    this.iteration += 1;
    this.output.answered();
    this.#truncated = reply.message.stopReason === 'max_tokens' ? this.#truncated + 1 : 0;
  }

  /** What came of a compaction; without `pieces` it has changed nothing. */
  compacted(
    { record, pieces, spent }: Omit<CompactReply, 'v' | 'attempt'>,
    settings: CompactionSettings,
  ): void {
    if (record.usage) this.usage = addUsage(this.usage, record.usage);
    this.countSpent(spent ?? noUsage);
    this.steps.compacted(record);
    if (pieces) this.#text = this.lastText;
    this.compaction.take({ record, ...(pieces && { pieces }) }, settings, this.transcript);
    this.show();
  }

  /** A model call ended without a reply; `told` is what its end tells. */
  unanswered(told: unknown, error?: string): void {
    this.steps.unanswered(this.iteration, this.settings?.model ?? this.input.model, told, error);
  }

  /** What tries of a model call have cost that came to nothing. */
  countSpent(spent: TurnUsage): void {
    this.usage = joinUsage(this.usage, spent);
  }

  /** How the turn ends by this reply, or undefined if the loop goes on. */
  endOf(reply: ModelReply): OutcomeType | undefined {
    if (reply.message.stopReason === 'refusal') return 'refused';
    const ending = this.output.endOf(reply, this.settings);
    if (ending || toolCallsOf(reply.message).length === 0) return ending;
    return this.#truncated >= (this.settings?.maxTruncatedReplies ?? 1) ? 'truncated' : undefined;
  }

  /** What the model call that is about to be made asks for, where its last message asks for the turn's output. */
  get outputRequest(): OutputRequest | undefined {
    return this.output.request;
  }

  /** Right before a model call, so that a transcript never ends with a request that no model has seen. */
  askForOutput(steered: boolean): void {
    const schema = this.settings?.output?.schema;
    const request = this.output.ask(steered);
    const message = request && outputRequestMessage(this.firstRunId, this.iteration, schema, request);
    if (message) this.transcript.add(message);
  }

  /** Of the last reply: the answer that it gives by the tool for it, or its words. */
  get lastText(): string {
    const { lastReply } = this.transcript;
    if (!lastReply) return this.#text;
    const isAnswer = this.settings?.finalAnswer !== undefined && lastReply.role === 'assistant';
    return (isAnswer && finalTextIn(lastReply)) || textOf(lastReply);
  }

  /** Messages that people sent into the running turn, in order. Returns their ids, which the model call records. */
  addSteers(steers: readonly SteerMessage[]): string[] {
    this.transcript.add(...steers.map(steerMessage));
    return steers.map(({ id }) => id);
  }

  /** Drops the oldest rounds where the agent asks for it, down to `share` of what it allows. */
  makeRoom(share = 1): void {
    const { maxContextBytes } = this.settings ?? {};
    if (maxContextBytes !== undefined) this.transcript.keepWithin(maxContextBytes * share);
  }

  end(outcome: OutcomeType | 'failed', interventions: Interventions): TurnOutcome {
    const undelivered = interventions.close();
    const { ending } = interventions;
    const how = outcome === 'interrupted' && ending?.kind === 'cancel' ? 'canceled' : outcome;
    const note = interruptionNote(this.transcript.lastRole, this.firstRunId, how);
    if (note) this.transcript.add(note);
    this.#outcome = outcome;
    this.show();
    return outcomeOf(this, outcome, { undelivered, ...(ending && { ending }) });
  }

  state(): TurnState {
    return stateOf(this, this.#outcome);
  }

  /** Brings the table in the Web UI up to date. */
  show(): void {
    setCurrentDetails(this.#details.render(this.state(), this.transcript.messages));
  }
}
