import {
  CancellationScope,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedInterventions } from '../shared/carried.js';
import type { CompactRequest } from '../shared/compaction/settings.js';
import {
  COMPACT,
  type CompactArgument,
  type EarlyEnd,
  INTERRUPT,
  type Intervention,
  RECEIPT_QUERY,
  type Receipt,
  readCompact,
  readSteer,
  readStop,
  STEER,
  STOP,
  type SteerMessage,
  type SteerRequest,
  type StopRequest,
  type Via,
} from '../shared/interventions.js';
import { jsonBytes } from '../shared/json.js';
import { ANSWER, APPROVE, DENY } from '../shared/people.js';
import { Receipts } from './receipts.js';
import { wakeActivities } from './sinks.js';
import { type Settled, WaitedWork } from './waited-work.js';

const interruptSignal = defineSignal<[StopRequest?]>(INTERRUPT);
const stopSignal = defineSignal<[StopRequest?]>(STOP);
const steerSignal = defineSignal<[SteerRequest]>(STEER);
const compactSignal = defineSignal<[CompactArgument?]>(COMPACT);
const compactUpdate = defineUpdate<Receipt, [CompactArgument?]>(COMPACT);
const interruptUpdate = defineUpdate<Receipt, [StopRequest?]>(INTERRUPT);
const stopUpdate = defineUpdate<Receipt, [StopRequest?]>(STOP);
const steerUpdate = defineUpdate<Receipt, [SteerRequest]>(STEER);
const receiptQuery = defineQuery<Receipt | null, [string]>(RECEIPT_QUERY);

/** Of all that wait for a model call: where none comes any more they are in the turn's outcome. */
const WAITING_STEER_BYTES = 500_000;

/** Why a turn is to end before its model is done: what people have asked, or the turn's own limit. */
export type Ending = Intervention | { kind: 'time_limit'; id: string };

/**
 * What people and programs ask of a running turn. Each message has an id, and counts once however often it comes.
 * What happened to the turn is judged by these flags and never by the kind of an activity's error: a dead worker's
 * timeout looks like a cancellation.
 */
export class Interventions {
  /** End now: no model call and no tool may start, and what runs is canceled. */
  interrupted: Ending | undefined;
  /** End after what runs. */
  stopped: Ending | undefined;
  readonly #steers: SteerMessage[];
  #compact: CompactRequest | undefined;
  readonly receipts: Receipts;
  readonly #scope = CancellationScope.current();
  readonly #waited = new WaitedWork();
  #closed = false;
  readonly #steerListeners = new Set<() => void>();
  readonly #listeners = new Set<(ending: Ending) => void>();

  /** Listens from now on; messages that came before the turn began are handled in here. */
  constructor(carried?: CarriedInterventions) {
    this.#steers = [...(carried?.steers ?? [])];
    this.#compact = carried?.compact;
    this.receipts = new Receipts(carried);
    const cancel = () => this.#end({ kind: 'cancel', id: 'cancel' });
    // One that came before the turn's first task; its promise would tell of it only after the loop's first steps.
    if (this.#scope.consideredCancelled) cancel();
    this.#scope.cancelRequested.catch(cancel);
    setHandler(interruptSignal, (raw) => void this.#onStop(INTERRUPT, raw, 'signal'));
    setHandler(stopSignal, (raw) => void this.#onStop(STOP, raw, 'signal'));
    setHandler(steerSignal, (raw) => void this.#onSteer(raw, 'signal'));
    setHandler(interruptUpdate, (raw) => this.#onStop(INTERRUPT, raw, 'update'));
    setHandler(stopUpdate, (raw) => this.#onStop(STOP, raw, 'update'));
    setHandler(steerUpdate, (raw) => this.#onSteer(raw, 'update'));
    setHandler(compactSignal, (raw) => void this.#onCompact(raw, 'signal'));
    setHandler(compactUpdate, (raw) => this.#onCompact(raw, 'update'));
    setHandler(receiptQuery, (id) => {
      const kinds = [STEER, INTERRUPT, STOP, COMPACT, APPROVE, DENY, ANSWER] as const;
      return kinds.map((kind) => this.receipts.known(kind, id)).find((receipt) => receipt) ?? null;
    });
  }

  /** Why the turn is to end, or undefined. */
  get ending(): Ending | undefined {
    return this.interrupted ?? this.stopped;
  }

  /** Ended, or about to: nothing that people decide counts any more. */
  get isOver(): boolean {
    return this.#closed || this.ending !== undefined;
  }

  /** Tells of a stop, an interrupt, a cancel, as they come; returns what ends the telling. */
  onEnding(listener: (ending: Ending) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of each message that comes and waits for a model call; returns what ends the telling. */
  onSteer(listener: () => void): () => void {
    this.#steerListeners.add(listener);
    return () => this.#steerListeners.delete(listener);
  }

  get hasSteers(): boolean {
    return this.#steers.length > 0;
  }

  /** JSON bytes of the messages that wait for a model call. */
  get waitingBytes(): number {
    return jsonBytes(this.#steers);
  }

  /** The messages that wait for a model call, in the order in which they came; each is given out once. */
  takeSteers(): SteerMessage[] {
    const taken = this.#steers.splice(0);
    for (const { id } of taken) this.receipts.give(id, STEER, 'delivered');
    return taken;
  }

  /** Somebody wants the transcript compacted before the next model call. */
  get isCompactAsked(): boolean {
    return this.#compact !== undefined;
  }

  takeCompact(): CompactRequest | undefined {
    const taken = this.#compact;
    this.#compact = undefined;
    return taken;
  }

  /** What came of it. */
  compacted({ id }: CompactRequest, problem: string | undefined): void {
    this.receipts.give(id, COMPACT, problem === undefined ? 'done' : 'refused', problem);
  }

  tooLate({ id }: CompactRequest): void {
    this.receipts.give(id, COMPACT, 'too_late');
  }

  /** No message is taken any more; returns those that no model call has had. */
  close(): SteerMessage[] {
    this.#closed = true;
    const left = this.#steers.splice(0);
    for (const { id } of left) this.receipts.give(id, STEER, 'too_late');
    const compact = this.takeCompact();
    if (compact) this.tooLate(compact);
    return left;
  }

  /** For the turn's next run. No message is lost or taken twice over it. */
  carried(): CarriedInterventions {
    return {
      steers: this.#steers,
      ...(this.#compact && { compact: this.#compact }),
      ...this.receipts.carried(),
    };
  }

  /** Waits for `work`; but after an interrupt no longer than `settleMs`. Never rejects. */
  waitFor<Result>(work: Promise<Result>, settleMs: number): Promise<Settled<Result>> {
    return this.#waited.waitFor(work, settleMs);
  }

  /** As if it had been asked for by signal. */
  endEarly(ending: EarlyEnd): void {
    if (ending.kind === STOP) this.#stop(ending);
    else this.#end(ending);
    this.receipts.give(ending.id, ending.kind, 'done');
  }

  /** Ends the turn as an interrupt does. */
  runOutOfTime(): void {
    if (!this.#closed) this.#end({ kind: 'time_limit', id: 'time_limit' });
  }

  #onStop(kind: typeof INTERRUPT | typeof STOP, raw: unknown, via: Via): Receipt {
    const request = readStop(raw, this.receipts.nextId(kind, via));
    const known = this.receipts.known(kind, request.id);
    if (known) return { ...known, duplicate: true };
    if (this.#closed) return this.receipts.give(request.id, kind, 'too_late');
    if (kind === STOP) this.#stop({ kind, ...request });
    else this.#end({ kind, ...request });
    return this.receipts.give(request.id, kind, 'done');
  }

  #onSteer(raw: unknown, via: Via): Receipt {
    const fallbackId = this.receipts.nextId(STEER, via);
    const steer = readSteer(raw, fallbackId);
    if (!steer) return this.receipts.give(fallbackId, STEER, 'refused');
    const known = this.receipts.known(STEER, steer.id);
    if (known) return { ...known, duplicate: true };
    if (this.#closed) return this.receipts.give(steer.id, STEER, 'too_late');
    if (jsonBytes([...this.#steers, steer]) > WAITING_STEER_BYTES) {
      return this.receipts.give(steer.id, STEER, 'refused');
    }
    this.#steers.push(steer);
    for (const listener of [...this.#steerListeners]) listener();
    return this.receipts.give(steer.id, STEER, 'accepted');
  }

  /** Several that wait are one. */
  #onCompact(raw: unknown, via: Via): Receipt {
    const request = readCompact(raw, this.receipts.nextId(COMPACT, via));
    const known = this.receipts.known(COMPACT, request.id);
    if (known) return { ...known, duplicate: true };
    if (this.isOver) return this.receipts.give(request.id, COMPACT, 'too_late');
    if (this.#compact) this.compacted(this.#compact, 'Another one came after it, and counts in its place.');
    this.#compact = request;
    return this.receipts.give(request.id, COMPACT, 'accepted');
  }

  #stop(intervention: Intervention): void {
    if (this.ending) return;
    this.stopped = intervention;
    for (const listener of this.#listeners) listener(intervention);
  }

  /** Cancels the turn's scope, and with it all that runs. The turn itself goes on, to its end. */
  #end(intervention: Ending): void {
    if (this.interrupted) return;
    this.interrupted = intervention;
    if (intervention.kind !== 'cancel') this.#scope.cancel();
    wakeActivities(workflowInfo().runId);
    for (const listener of this.#listeners) listener(intervention);
    this.#waited.hurry();
  }
}
