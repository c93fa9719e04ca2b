import {
  CancellationScope,
  patched,
  setCurrentDetails,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedRunningTurn, CarriedSession } from '../../shared/carried-session.js';
import type { SteerMessage } from '../../shared/interventions.js';
import { type JsonObject, jsonBytes, latest } from '../../shared/json.js';
import type { ExceededBudget } from '../../shared/limits.js';
import {
  SESSION_MEMO,
  type SessionInput,
  type SessionMemo,
  type SessionOutcome,
  type SessionTurn,
} from '../../shared/session.js';
import type { EndedTurn } from '../../shared/session-activities.js';
import { exceededLimit, type SessionLimits, shareOfSession } from '../../shared/session-limits.js';
import { type QueueItem, readQueue, reopened } from '../../shared/session-queue.js';
import type { TurnInput } from '../../shared/turn-input.js';
import { joinUsage, noUsage, type TurnUsage } from '../../shared/usage.js';
import { wireText } from '../../shared/wire-text.js';
import { AlwaysRules } from './always-rules.js';
import { sessionDetails } from './session-details.js';
import { SessionReceipts } from './session-receipts.js';
import { SessionTranscript } from './session-transcript.js';
import { LiveTurn } from './session-turn.js';

/** Changes of what runs: sessions that were begun before go on as they did. */
const CANCELED = 'canceled-sessions-run-no-more';
const LAST_REQUEST_BYTES = 20_000;
/** About five hundred, in what the next run is given. */
const TURNS_BYTES = 100_000;

/** What one session knows. All of it is there before the first handler is set: a buffered message runs in it. */
export class SessionRun {
  readonly input: SessionInput;
  readonly sessionId = workflowInfo().workflowId;
  readonly receipts: SessionReceipts;
  title: string | undefined;
  metadata: JsonObject | undefined;
  readonly transcript: SessionTranscript;
  limits: SessionLimits;
  queue: QueueItem[];
  live: LiveTurn | undefined;
  usage: TurnUsage;
  turns: SessionTurn[];
  turnCount: number;
  closing: boolean;
  canceled: boolean;
  ended = false;
  /** Messages and ends of turns that this run of the workflow has taken. */
  steps = 0;
  /** Signals to the running turn that Temporal has not confirmed yet. */
  onTheirWay = 0;
  /** The transcript is being cut or compacted: no turn may start. */
  isCutting = false;
  /** Ends the compaction that runs between two turns. */
  stopCompacting: (() => void) | undefined;
  /** What the last turn was asked, without its prompt. */
  lastRequest: CarriedRunningTurn['request'] | undefined;
  readonly #always: AlwaysRules;

  constructor(input: SessionInput, carried: CarriedSession | undefined) {
    this.input = input;
    this.title = carried ? carried.title : input.title;
    this.metadata = carried ? carried.metadata : input.metadata;
    const given = { ...input, ...(input.earlier && { base: input.earlier }) };
    this.transcript = new SessionTranscript(carried ?? given);
    this.limits = carried?.limits ?? input.limits ?? {};
    this.queue = readQueue(carried?.queue ?? []);
    this.usage = carried?.usage ?? noUsage;
    this.turns = carried?.turns ?? [];
    this.turnCount = carried?.turnCount ?? 0;
    this.closing = carried?.closing ?? false;
    this.canceled = carried?.canceled ?? false;
    this.lastRequest = carried?.lastRequest;
    this.#always = new AlwaysRules(carried?.always);
    this.receipts = new SessionReceipts(carried);
    this.live = carried?.running && LiveTurn.adopt(this, carried.running);
    const scope = CancellationScope.current();
    scope.cancelRequested.catch(() => this.#cancel());
  }

  begin(): void {
    const isFirst = workflowInfo().continuedFromExecutionRunId === undefined;
    if (isFirst && this.memo) upsertMemo(this.memo);
    this.show();
  }

  get hasWork(): boolean {
    return !this.isCutting && (this.live !== undefined || this.queue.length > 0);
  }

  get isOver(): boolean {
    return (this.closing || this.canceled) && !this.isCutting && !this.live && this.queue.length === 0;
  }

  /** JSON bytes of what people have said and no turn has taken: the next run must have room for it. */
  get waitingBytes(): number {
    return jsonBytes([this.queue, this.live?.carried() ?? null]);
  }

  takeNext(): QueueItem | undefined {
    const [item, ...rest] = this.queue;
    this.queue = rest;
    return item;
  }

  /** What a turn of the agent is given of the session's. */
  givenTo(agent: string): Pick<TurnInput, 'earlier' | 'always' | 'artifacts' | 'share'> {
    const always = this.#always.of(agent);
    const share = shareOfSession(this.limits, this.usage, this.turnCount);
    const own = { ...(always && { always }), ...(share && { share }) };
    if (!(this.input.keepTranscript ?? true)) return own;
    return { ...own, ...this.transcript.forTurn };
  }

  /** The limit that leaves nothing for one more message, beside what runs and waits. */
  get exceeded(): ExceededBudget | undefined {
    const turns = this.turnCount + (this.live ? 1 : 0) + this.queue.length;
    return exceededLimit(this.limits, this.usage, turns);
  }

  /** A turn has ended. */
  settle(turn: LiveTurn, end: EndedTurn): void {
    const { outcome, failure, added, usage, always } = end;
    const from = this.transcript.count;
    this.transcript.take(end);
    const count = this.transcript.count - from;
    this.usage = joinUsage(this.usage, usage);
    this.#always.add(turn.agent, always);
    this.#over(turn, { outcome, ...(failure && { failure }), from, count: Math.min(count, added) });
    this.#reopen(turn, turn.undelivered(end));
    this.show();
  }

  /** Temporal did not start it: a workflow of its id was there before. Its message has had its turn. */
  refuse(turn: LiveTurn, text: string): void {
    const failure = { type: 'Turn.Conflict', message: wireText(text, 500) };
    this.#over(turn, { outcome: 'not_started', failure, from: this.transcript.count, count: 0 });
    this.#refuse(turn.id, { problem: wireText(text, 1000) });
    this.#reopen(turn, turn.steers);
    this.show();
  }

  #over(turn: LiveTurn, how: Pick<SessionTurn, 'outcome' | 'failure' | 'from' | 'count'>): void {
    const { turnId, agent, request } = turn;
    this.lastRequest = jsonBytes(request) <= LAST_REQUEST_BYTES ? request : { agent };
    this.live = undefined;
    this.turnCount += 1;
    this.steps += 1;
    this.turns.push({ turnId, agent, ...how, endedAt: new Date(Date.now()).toISOString() });
  }

  /** Messages that were too late for the turn open the next one. */
  #reopen(turn: LiveTurn, messages: readonly SteerMessage[]): void {
    const [first] = messages;
    if (!first) return;
    if (this.canceled && patched(CANCELED)) {
      this.#refuseCanceled(messages);
      return;
    }
    const own = { id: this.receipts.turnIdFor(first.id), request: turn.request };
    const { queue, id } = reopened(this.queue, messages, own);
    this.queue = queue;
    const turnId = this.turnIdOf(id);
    for (const message of messages)
      this.receipts.give({ id: message.id, status: 'queued', turnId, position: 0 });
  }

  turnIdOf(id: string): string {
    return `${this.sessionId}/${id}`;
  }

  describe({ title, metadata }: { title?: string; metadata?: JsonObject }): void {
    this.title = title ?? this.title;
    this.metadata = metadata ?? this.metadata;
    if (this.memo) upsertMemo(this.memo);
    this.show();
  }

  /** For whoever lists workflows; undefined where there is nothing to tell. */
  get memo(): { [SESSION_MEMO]: SessionMemo } | undefined {
    const { title, metadata } = this;
    if (title === undefined && !metadata) return undefined;
    const shown = title !== undefined && { title: wireText(title, 1000) };
    return { [SESSION_MEMO]: { v: 1, ...shown, ...(metadata && { metadata }) } };
  }

  #cancel(): void {
    this.canceled = true;
    this.#refuseCanceled(this.queue);
    this.queue = [];
    this.stopCompacting?.();
    this.live?.interrupt({ id: 'cancel', reason: 'The session was canceled.' });
  }

  #refuseCanceled(messages: readonly { id: string }[]): void {
    const problem = 'The session was canceled before the message had its turn.';
    for (const { id } of messages) this.#refuse(id, { problem, closed: true });
  }

  /** With the messages that had become part of its turn. */
  #refuse(id: string, why: { problem: string; closed?: true }): void {
    for (const each of new Set([id, ...this.receipts.ofTurn(this.turnIdOf(id))]))
      this.receipts.give({ id: each, status: 'refused', ...why });
  }

  /** To be called after each change that people can see. */
  show(): void {
    setCurrentDetails(sessionDetails(this));
  }

  end(): SessionOutcome {
    this.ended = true;
    this.show();
    const { sessionId, turnCount, usage, transcript } = this;
    return { v: 1, sessionId, turns: turnCount, usage, messageCount: transcript.count };
  }

  /** For the next run of the workflow. */
  carried(): CarriedSession {
    const { title, metadata, queue, live, turnCount, usage, limits } = this;
    return {
      ...{ v: 1, queue, turnCount, usage, limits },
      ...(title !== undefined && { title }),
      ...(metadata && { metadata }),
      ...this.transcript.messages,
      ...(live && { running: live.carried() }),
      turns: latest(this.turns, TURNS_BYTES),
      always: this.#always.carried,
      ...(this.lastRequest && { lastRequest: this.lastRequest }),
      ...this.receipts.carried(),
      ...(this.closing && { closing: true }),
      ...(this.canceled && { canceled: true }),
    };
  }
}
