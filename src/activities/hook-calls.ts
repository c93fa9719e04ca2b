import type { HookContext, Hooks, NamedHooks } from '../define/hooks.js';
import type { HookPoint, HookRecord } from '../shared/hooks.js';
import type { JsonObject } from '../shared/json.js';
import { errorText, wireText } from '../shared/wire-text.js';

const TEXT_BYTES = 300;
/** Of one activity. */
const MOST_RECORDS = 100;

/** Where an agent's hooks are called: one activity. */
export type HookPlace = {
  agent: string;
  turnId: string;
  /** Of the turn, whatever its runs and tries. */
  workflowId: string;
  iteration: number;
  attempt: number;
  metadata: JsonObject | undefined;
  signal: AbortSignal;
  /** Whether the signal has fired because the turn is to end. */
  isInterrupted(): boolean;
  warn(text: string): void;
};

type Asked = { point: HookPoint; callId?: string };

/** Calls hooks, one after the other, and keeps what they did for the activity's result. */
export class HookCalls {
  readonly records: HookRecord[] = [];
  readonly #hooks: readonly NamedHooks[];
  readonly #place: HookPlace;

  constructor(hooks: readonly NamedHooks[], place: HookPlace) {
    this.#hooks = hooks;
    this.#place = place;
  }

  get isInterrupted(): boolean {
    return this.#place.isInterrupted();
  }

  /** For the activity's result. */
  get told(): { hooks?: HookRecord[] } {
    return this.records.length > 0 ? { hooks: this.records } : {};
  }

  with(point: HookPoint): NamedHooks[] {
    return this.#hooks.filter(({ hooks }) => hooks[point] !== undefined);
  }

  record(hook: NamedHooks, asked: Asked, did: HookRecord['did'], text?: string): void {
    const { point, callId } = asked;
    if (did === 'failed') this.#place.warn(`The hook ${hook.name}, ${point}, failed: ${text}`);
    if (this.records.length === MOST_RECORDS) return;
    this.records.push({
      ...{ hook: hook.name, point, did },
      ...(callId !== undefined && { callId }),
      ...(text !== undefined && { text: wireText(text, TEXT_BYTES) }),
    });
  }

  /** What the hook gives, as an object; undefined where it gives nothing. Throws what it throws, and where it is late. */
  async ask(
    hook: NamedHooks,
    asked: Asked,
    call: (hooks: Hooks, context: HookContext) => unknown,
  ): Promise<Record<string, unknown> | undefined> {
    const stop = new AbortController();
    const { signal } = this.#place;
    const timer = setTimeout(
      () => stop.abort(new Error(`it took longer than ${hook.timeoutMs / 1000} s`)),
      hook.timeoutMs,
    );
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    });
    try {
      signal.throwIfAborted();
      const context = this.#contextOf(hook, asked, stop.signal);
      const given = await Promise.race([
        stopped,
        Promise.resolve(hook.hooks).then((own) => call(own, context)),
      ]);
      return decisionIn(given);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** As {@link ask}, where a fault is recorded and changes nothing. */
  async askSafely(
    hook: NamedHooks,
    asked: Asked,
    call: (hooks: Hooks, context: HookContext) => unknown,
  ): Promise<Record<string, unknown> | undefined> {
    try {
      return await this.ask(hook, asked, call);
    } catch (error) {
      this.record(hook, asked, 'failed', errorText(error));
      return undefined;
    }
  }

  #contextOf(hook: NamedHooks, asked: Asked, signal: AbortSignal): HookContext {
    const { agent, turnId, workflowId, iteration, attempt, metadata = {} } = this.#place;
    const { point, callId } = asked;
    const key = [workflowId, iteration, point, ...(callId === undefined ? [] : [callId]), hook.name];
    return {
      ...{ agent, turnId, iteration, attempt, metadata, signal },
      idempotencyKey: key.join('/'),
      note: (text) => this.record(hook, asked, 'noted', text),
    };
  }
}

function decisionIn(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'object' && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new TypeError(`it gave ${typeof given}, and is to give an object or nothing`);
}

/** A text of a hook's decision. Throws for anything else. */
export function textIn(decision: Record<string, unknown>, field: string): string | undefined {
  const value = decision[field];
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`its "${field}" is ${typeof value}, and is to be a text`);
}

/** A field that nobody reads would be a decision that nobody follows. */
export function refuseOthers(decision: Record<string, unknown>, ...fields: string[]): void {
  const unknown = Object.keys(decision).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw new TypeError(`it gave "${unknown}", which says nothing here; there are ${fields.join(', ')}`);
}
