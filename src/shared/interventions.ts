import type { CompactRequest } from './compaction/settings.js';
import { isJsonObject, jsonBytes } from './json.js';
import type { DecisionKind } from './people.js';
import { isOneOf, isShape, isText } from './shape.js';
import { distinctWireId, wireId, wireText } from './wire-text.js';

/** Signals and updates of the same names; the update answers with a {@link Receipt}. */
export const INTERRUPT = 'interrupt';
export const STOP = 'stop';
export const STEER = 'steer';
export const COMPACT = 'compact';
export const RECEIPT_QUERY = 'receipt';

/**
 * `interrupt`: now; what runs is canceled. `stop`: what runs may finish, nothing new begins. `steer`: a message that
 * joins before the next model call. `compact`: the transcript is compacted before the next model call. `cancel` is
 * Temporal's own.
 */
export type InterventionKind = typeof INTERRUPT | typeof STOP | typeof STEER | typeof COMPACT;

/** The argument of an `interrupt` or a `stop`. All of it may be left out, so that the Web UI's form works empty. */
export type StopRequest = { v: 1; id?: string; reason?: string; by?: string };
/** The argument of a `steer`. */
export type SteerRequest = { v: 1; id?: string; message: string; by?: string };

/** The argument of a `compact`; all of it may be left out. */
export type CompactArgument = { v: 1; id?: string; focus?: string; by?: string };

/** Why a turn ended before its model was done. */
export type Intervention = {
  kind: typeof INTERRUPT | typeof STOP | 'cancel';
  id: string;
  reason?: string;
  by?: string;
};

/** Before the turn could begin. */
export type EarlyEnd = Intervention & { kind: typeof INTERRUPT | typeof STOP };

export const isEarlyEnd = isShape(
  { kind: isOneOf(INTERRUPT, STOP), id: isText },
  { reason: isText, by: isText },
);

export type SteerMessage = { id: string; message: string; by?: string };

/**
 * What became of a message: `accepted` and waiting, `delivered` to the model, `done` for an interrupt or a stop,
 * `refused` where it could not be read, `too_late` where the turn had ended. An approval, a denial or an answer is `done`
 * where it counts, a compaction where the transcript got smaller; `refused` says why it did not.
 */
export type Receipt = {
  v: 1;
  id: string;
  kind: InterventionKind | DecisionKind;
  status:
    | 'accepted'
    | 'delivered'
    | 'done'
    | 'refused'
    | 'too_late'
    /** Of a decision: another one came first, or nothing of that id waits for one. */
    | 'already_decided'
    | 'not_waiting';
  /** Of one that was refused. */
  problem?: string;
  /** It had come before, under the same id, and was not taken twice. */
  duplicate?: true;
};

/** Reads whatever came: an interrupt is obeyed even where its argument is nonsense. */
export function readStop(raw: unknown, fallbackId: string): { id: string; reason?: string; by?: string } {
  const id = textField(raw, 'id');
  const reason = textField(raw, 'reason');
  const by = textField(raw, 'by');
  return {
    id: id ? callersId(id) : fallbackId,
    ...(reason !== undefined && { reason: wireText(reason, 1000) }),
    ...(by !== undefined && { by: wireId(by) }),
  };
}

const FOCUS_BYTES = 2000;

export function readCompact(raw: unknown, fallbackId: string): CompactRequest {
  const focus = textField(raw, 'focus');
  const { id, by } = readStop(raw, fallbackId);
  return {
    id,
    ...(by !== undefined && { by }),
    ...(focus?.trim() && { focus: wireText(focus, FOCUS_BYTES) }),
  };
}

/** UTF-8 bytes: what waits for a model call is carried over to a turn's next run, and must fit there. */
export const MAX_STEER_BYTES = 250_000;

/** Undefined where there is no message in it, or one that is too long. */
export function readSteer(raw: unknown, fallbackId: string): SteerMessage | undefined {
  const message = textField(raw, 'message');
  if (!message?.trim() || jsonBytes(message) > MAX_STEER_BYTES) return undefined;
  const { id, by } = readStop(raw, fallbackId);
  return { id, message: message.toWellFormed(), ...(by !== undefined && { by }) };
}

/** Ids that begin with `~` are ours: a caller's can't be taken for one of them. */
export function callersId(id: string): string {
  return distinctWireId(id.replace(/^~+/, '') || '_');
}

function textField(raw: unknown, name: string): string | undefined {
  const value = isJsonObject(raw) ? raw[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export type Via = 'signal' | 'update';

/** The id of a message that bears none: its number among those of its kind, which the event history tells, too. */
export class FallbackIds {
  readonly #counts: Map<string, number>;

  constructor(counts: Iterable<[string, number]> = []) {
    this.#counts = new Map(counts);
  }

  counts(): [name: string, count: number][] {
    return [...this.#counts];
  }

  next(kind: InterventionKind | DecisionKind, via: Via): string {
    const name = via === 'signal' ? `~${kind}` : `~${kind}-update`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name}-${count}`;
  }
}
