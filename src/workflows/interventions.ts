import {
  CancellationScope,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedInterventions } from '../shared/carried.js';
import {
  FallbackIds,
  INTERRUPT,
  type Intervention,
  type InterventionKind,
  RECEIPT_QUERY,
  type Receipt,
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
import { wakeActivities } from './sinks.js';

const interruptSignal = defineSignal<[StopRequest?]>(INTERRUPT);
const stopSignal = defineSignal<[StopRequest?]>(STOP);
const steerSignal = defineSignal<[SteerRequest]>(STEER);
const interruptUpdate = defineUpdate<Receipt, [StopRequest?]>(INTERRUPT);
const stopUpdate = defineUpdate<Receipt, [StopRequest?]>(STOP);
const steerUpdate = defineUpdate<Receipt, [SteerRequest]>(STEER);
const receiptQuery = defineQuery<Receipt | null, [string]>(RECEIPT_QUERY);

/** Of all that wait for a model call: where none comes any more they are in the turn's outcome. */
const WAITING_STEER_BYTES = 500_000;
/** About a thousand, in what the next run of a turn is given. */
const CARRIED_RECEIPT_BYTES = 100_000;

/** How work ended; neither field where it was left behind. */
export type Settled<Result> = { value?: Result; fault?: unknown };

/**
 * What people and programs ask of a running turn. Each message has an id, and counts once however often it comes.
 * What happened to the turn is judged by these flags and never by the kind of an activity's error: a dead worker's
 * timeout looks like a cancellation.
 */
export class Interventions {
  /** End now: no model call and no tool may start, and what runs is canceled. */
  interrupted: Intervention | undefined;
  /** End after what runs. */
  stopped: Intervention | undefined;
  readonly #steers: SteerMessage[];
  /** By kind and id: an interrupt counts, whatever id a steer has had. */
  readonly #receipts: Map<string, Receipt>;
  readonly #scope = CancellationScope.current();
  /** What the turn waits for now, and what ends the waiting. */
  #settling: { settleMs: number; overdue: () => void } | undefined;
  #closed = false;
  readonly #listeners = new Set<(intervention: Intervention) => void>();
  readonly #fallbackIds: FallbackIds;

  /** Listens from now on; messages that came before the turn began are handled in here. */
  constructor(carried?: CarriedInterventions) {
    this.#steers = [...(carried?.steers ?? [])];
    this.#receipts = new Map(carried?.receipts.map((receipt) => [keyOf(receipt.kind, receipt.id), receipt]));
    this.#fallbackIds = new FallbackIds(carried?.fallbackIds);
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
    setHandler(receiptQuery, (id) => {
      const kinds: InterventionKind[] = [STEER, INTERRUPT, STOP];
      return kinds.map((kind) => this.#known(kind, id)).find((receipt) => receipt) ?? null;
    });
  }

  /** Why the turn is to end, or undefined. */
  get ending(): Intervention | undefined {
    return this.interrupted ?? this.stopped;
  }

  /** Tells of a stop, an interrupt, a cancel, as they come; returns what ends the telling. */
  onEnding(listener: (intervention: Intervention) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    for (const { id } of taken) this.#receipt(id, STEER, 'delivered');
    return taken;
  }

  /** No message is taken any more; returns those that no model call has had. */
  close(): SteerMessage[] {
    this.#closed = true;
    const left = this.#steers.splice(0);
    for (const { id } of left) this.#receipt(id, STEER, 'too_late');
    return left;
  }

  /** For the turn's next run. No message is lost or taken twice over it. */
  carried(): CarriedInterventions {
    return {
      steers: this.#steers,
      receipts: latest([...this.#receipts.values()], CARRIED_RECEIPT_BYTES),
      fallbackIds: this.#fallbackIds.counts(),
    };
  }

  /**
   * Waits for `work`; but after an interrupt no longer than `settleMs`: a tool that ignores its signal, or a dead
   * worker, must not hold the turn. Never rejects. (One promise: in the sandbox each costs as much as a small step.)
   */
  settle<Result>(work: Promise<Result>, settleMs: number): Promise<Settled<Result>> {
    return new Promise((resolve) => {
      const end = (settled: Settled<Result>) => {
        this.#settling = undefined;
        resolve(settled);
      };
      this.#settling = { settleMs, overdue: () => end({}) };
      work.then(
        (value) => end({ value }),
        (fault: unknown) => end({ fault }),
      );
    });
  }

  #onStop(kind: typeof INTERRUPT | typeof STOP, raw: unknown, via: Via): Receipt {
    const request = readStop(raw, this.#fallbackIds.next(kind, via));
    const known = this.#known(kind, request.id);
    if (known) return { ...known, duplicate: true };
    if (this.#closed) return this.#receipt(request.id, kind, 'too_late');
    if (kind === STOP) this.#stop({ kind, ...request });
    else this.#end({ kind, ...request });
    return this.#receipt(request.id, kind, 'done');
  }

  #onSteer(raw: unknown, via: Via): Receipt {
    const fallbackId = this.#fallbackIds.next(STEER, via);
    const steer = readSteer(raw, fallbackId);
    if (!steer) return this.#receipt(fallbackId, STEER, 'refused');
    const known = this.#known(STEER, steer.id);
    if (known) return { ...known, duplicate: true };
    if (this.#closed) return this.#receipt(steer.id, STEER, 'too_late');
    if (jsonBytes([...this.#steers, steer]) > WAITING_STEER_BYTES) {
      return this.#receipt(steer.id, STEER, 'refused');
    }
    this.#steers.push(steer);
    return this.#receipt(steer.id, STEER, 'accepted');
  }

  #stop(intervention: Intervention): void {
    if (this.ending) return;
    this.stopped = intervention;
    for (const listener of this.#listeners) listener(intervention);
  }

  /** Cancels the turn's scope, and with it all that runs. The turn itself goes on, to its end. */
  #end(intervention: Intervention): void {
    if (this.interrupted) return;
    this.interrupted = intervention;
    if (intervention.kind !== 'cancel') this.#scope.cancel();
    wakeActivities(workflowInfo().runId);
    for (const listener of this.#listeners) listener(intervention);
    const { settleMs, overdue } = this.#settling ?? {};
    if (settleMs === undefined || !overdue) return;
    const limit = () => sleep(settleMs, { summary: 'the time that what runs has to stop' });
    CancellationScope.nonCancellable(limit).then(overdue, overdue);
  }

  #known(kind: InterventionKind, id: string): Receipt | undefined {
    return this.#receipts.get(keyOf(kind, id));
  }

  #receipt(id: string, kind: InterventionKind, status: Receipt['status']): Receipt {
    const receipt: Receipt = { v: 1, id, kind, status };
    this.#receipts.set(keyOf(kind, id), receipt);
    return receipt;
  }
}

function keyOf(kind: InterventionKind, id: string): string {
  return `${kind} ${id}`;
}

/** As many of the last ones as take no more JSON than that. */
function latest<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 0;
  const first = items.findLastIndex((item) => {
    bytes += jsonBytes(item);
    return bytes > maxBytes;
  });
  return items.slice(first + 1);
}
