import {
  CancellationScope,
  defineSignal,
  defineUpdate,
  patched,
  setHandler,
  sleep,
  upsertMemo,
} from '@temporalio/workflow';
import type { Receipt, Via } from '../shared/interventions.js';
import { type JsonObject, jsonBytes } from '../shared/json.js';
import {
  ANSWER,
  type AnswerRequest,
  APPROVE,
  type ApproveRequest,
  DENY,
  type DecisionKind,
  type DenyRequest,
  PEOPLE_MEMO,
  type PeopleMemo,
  type PersonDecision,
  type PersonRequest,
  type ReadDecision,
  readDecision,
} from '../shared/people.js';
import type { TurnPermissions } from '../shared/permissions.js';
import type { TurnState } from '../shared/turn.js';
import { wireLine } from '../shared/wire-text.js';
import type { Interventions } from './interventions.js';

const approveSignal = defineSignal<[ApproveRequest]>(APPROVE);
const denySignal = defineSignal<[DenyRequest]>(DENY);
const answerSignal = defineSignal<[AnswerRequest]>(ANSWER);
const approveUpdate = defineUpdate<Receipt, [ApproveRequest]>(APPROVE);
const denyUpdate = defineUpdate<Receipt, [DenyRequest]>(DENY);
const answerUpdate = defineUpdate<Receipt, [AnswerRequest]>(ANSWER);

/** Each takes some 10 KB at most, and the answer to a query 2 MB. */
const STATE_REQUESTS = 100;
/** Some databases bound a memo to 64 KB. */
const MEMO_BYTES = 24_000;
/** Before it, a sub-agent's call with changed arguments was not run. */
const CHECKED_CHANGES = 'checked-changes';
/** Of the rules that people have added; those before stay. */
const ALWAYS_BYTES = 50_000;

/** What was decided, with the arguments that a person has put in the place of the model's. */
export type Decided = { decision: PersonDecision; changed?: JsonObject };
type Waiting = {
  request: PersonRequest;
  decide: (decided: Decided | 'ended') => void;
  timer: CancellationScope;
};

/**
 * What a turn asks people, and what they say. The first decision of a call counts, in the order of the event history;
 * nothing that comes after an interrupt does. It waits for days, and nothing of it is anywhere but in the workflow.
 */
export class People {
  readonly #interventions: Interventions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #decided = new Set<string>();
  #permissions: TurnPermissions;

  constructor(interventions: Interventions, permissions: TurnPermissions) {
    this.#interventions = interventions;
    this.#permissions = permissions;
    interventions.onEnding(() => this.#end());
    setHandler(approveSignal, (raw) => void this.#take(APPROVE, raw, 'signal'));
    setHandler(denySignal, (raw) => void this.#take(DENY, raw, 'signal'));
    setHandler(answerSignal, (raw) => void this.#take(ANSWER, raw, 'signal'));
    setHandler(approveUpdate, (raw) => this.#take(APPROVE, raw, 'update'));
    setHandler(denyUpdate, (raw) => this.#take(DENY, raw, 'update'));
    setHandler(answerUpdate, (raw) => this.#take(ANSWER, raw, 'update'));
  }

  /** What the turn was started with and people have decided since, for model calls and for the turn's next run. */
  get carried(): { permissions?: TurnPermissions } {
    const { mode, always } = this.#permissions;
    return mode === undefined && always === undefined ? {} : { permissions: this.#permissions };
  }

  /** What the turn's state says of it. */
  get state(): Pick<TurnState, 'waitingFor'> {
    return this.#waiting.size > 0 ? { waitingFor: this.#requests.slice(0, STATE_REQUESTS) } : {};
  }

  get #requests(): PersonRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Asks, all at once. `decided` is told of each; 'ended' where the turn is to end before somebody decides. */
  ask(
    requests: readonly PersonRequest[],
    timeoutMs: number | undefined,
  ): Map<string, Promise<Decided | 'ended'>> {
    const asked = requests.map((request) => {
      const promise = new Promise<Decided | 'ended'>((resolve) => {
        this.#waiting.set(request.callId, { request, decide: resolve, timer: new CancellationScope() });
      });
      return [request.callId, promise] as const;
    });
    if (this.#interventions.isOver) this.#end();
    if (this.#waiting.size > 0) this.#record([]);
    if (timeoutMs !== undefined)
      for (const each of [...this.#waiting.values()]) this.#startTimer(each, timeoutMs);
    return new Map(asked);
  }

  #startTimer({ request, timer }: Waiting, timeoutMs: number): void {
    const { callId } = request;
    const summary = wireLine(`the time to decide on ${request.summary}`);
    timer
      .run(() => sleep(timeoutMs, { summary }))
      .then(
        () => this.#settle({ decision: { callId, kind: 'overdue' } }),
        () => undefined,
      );
  }

  #take(kind: DecisionKind, raw: unknown, via: Via): Receipt {
    const { receipts } = this.#interventions;
    const read = readDecision(kind, raw, receipts.nextId(kind, via));
    const known = receipts.known(kind, read.id);
    if (known) return { ...known, duplicate: true };
    if ('problem' in read) return receipts.give(read.id, kind, 'refused', read.problem);
    if (this.#interventions.isOver) return receipts.give(read.id, kind, 'too_late');
    const waiting = this.#waiting.get(read.callId);
    if (!waiting)
      return receipts.give(read.id, kind, this.#decided.has(read.callId) ? 'already_decided' : 'not_waiting');
    const { request } = waiting;
    if (kind !== DENY && (kind === ANSWER) !== (request.kind === 'question')) {
      const isAsked =
        request.kind === 'question' ? 'a question: send an answer' : 'an approval: approve or deny it';
      return receipts.give(read.id, kind, 'refused', `callId: ${read.callId} waits for ${isAsked}`);
    }
    const receipt = receipts.give(read.id, kind, 'done');
    this.#settle(decidedBy(kind, read, request));
    return receipt;
  }

  #settle(decided: Decided): void {
    const { decision } = decided;
    const waiting = this.#waiting.get(decision.callId);
    if (!waiting) return;
    this.#waiting.delete(decision.callId);
    this.#decided.add(decision.callId);
    if (decision.kind !== 'overdue') waiting.timer.cancel();
    if (decision.kind === 'approved') this.#allow(decision.always, waiting.request);
    this.#record([decision]);
    waiting.decide(decided);
  }

  #allow(always: readonly string[] | undefined, request: PersonRequest): void {
    const rules = [...new Set([...(this.#permissions.always ?? []), ...(always ?? [])])];
    const mode = request.kind === 'approval' ? request.mode : undefined;
    this.#permissions = {
      ...this.#permissions,
      ...(mode !== undefined && { mode }),
      ...(always && jsonBytes(rules) <= ALWAYS_BYTES && { always: rules }),
    };
  }

  #end(): void {
    for (const { decide, timer } of this.#waiting.values()) {
      timer.cancel();
      decide('ended');
    }
    this.#waiting.clear();
  }

  /** Into the event history, which is what a watcher and a rebuilt transcript go by. */
  #record(decided: PersonDecision[]): void {
    const requests = this.#requests;
    let bytes = 0;
    const shown = requests.map(({ callId, name, summary, since, kind, until }) => {
      return { callId, name, summary, since, kind, ...(until !== undefined && { until }) };
    });
    const waiting = shown.filter((each) => {
      bytes += jsonBytes(each);
      return bytes <= MEMO_BYTES;
    });
    const memo: PeopleMemo = { v: 1, waiting, count: requests.length, decided };
    upsertMemo({ [PEOPLE_MEMO]: memo });
  }
}

function decidedBy(kind: DecisionKind, read: ReadDecision, request: PersonRequest): Decided {
  const { id, callId, by, reason } = read;
  const base = { id, callId, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
  if (kind === DENY) return { decision: { ...base, kind: 'denied' } };
  if (kind === ANSWER) return { decision: { ...base, kind: 'answered', answer: read.answer ?? '' } };
  const always = read.always && request.kind === 'approval' ? request.always : undefined;
  return {
    decision: {
      ...base,
      kind: 'approved',
      ...(read.arguments && { changed: true, ...(patched(CHECKED_CHANGES) && { isChecked: true }) }),
      ...(always && always.length > 0 && { always }),
    },
    ...(read.arguments && { changed: read.arguments }),
  };
}
