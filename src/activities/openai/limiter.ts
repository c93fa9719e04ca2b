import { isJsonObject } from '../../shared/json.js';
import type { Message } from '../../shared/messages.js';
import {
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
  type Wait,
} from '../../shared/model-port.js';
import type { Usage } from '../../shared/usage.js';
import { modelFailure } from './model-failure.js';

export type ModelLimits = {
  /** Calls that run at once in this process. */
  maxConcurrent?: number;
  /** Tokens, read and written, that calls may take in a minute. */
  tokensPerMinute?: number;
};

type Reply = Pick<ModelResponse, 'usage'>;
type Spent = { at: number; tokens: number };
type Waiting = {
  limits: ModelLimits;
  spent: Spent;
  longestWaitMs: number;
  go(): void;
  refuse(waitMs: number): void;
  tell(wait: Wait | undefined): void;
};
type Waiter = Pick<ModelContext, 'signal' | 'onWait' | 'onStage' | 'longestWaitMs'>;

const WINDOW_MS = 60_000;
const CHARACTERS_A_TOKEN = 4;
const ATTACHED = 'x'.repeat(1000 * CHARACTERS_A_TOKEN);

/**
 * Lets calls of one model through in the order in which they came, within limits. A provider's "too many requests, come
 * back in 5 s" holds back those that wait, too. A call that has to wait fails for it only by its signal, and by its
 * `longestWaitMs`.
 */
export class Limiter {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #spent: Spent[] = [];
  #closedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Without limits, runs at once. */
  async run<Answer extends Reply>(
    limits: ModelLimits,
    request: ModelRequest,
    waiter: Waiter,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    if (limits.maxConcurrent === undefined && limits.tokensPerMinute === undefined) return await call();
    const spent: Spent = { at: 0, tokens: limits.tokensPerMinute === undefined ? 0 : estimate(request) };
    waiter.onStage?.('waiting');
    await this.#admitted(limits, spent, waiter);
    waiter.onStage?.('sent');
    try {
      const answer = await call();
      spent.tokens = tokensOf(answer.usage) ?? spent.tokens;
      return answer;
    } catch (error) {
      if (error instanceof ModelError) {
        const { usage } = error;
        // One that was refused took nothing.
        spent.tokens =
          usage === undefined ? 0 : usage === 'unknown' ? spent.tokens : (tokensOf(usage) ?? spent.tokens);
      }
      if (error instanceof ModelError && error.type === 'Model.RateLimited') {
        this.#closedUntil = Math.max(this.#closedUntil, Date.now() + (error.retryAfterMs ?? 0));
      }
      throw error;
    } finally {
      this.#running--;
      this.#letGo();
    }
  }

  /** It would let the next call go as one that was just made. */
  isIdle(now: number): boolean {
    const isFree = this.#running === 0 && this.#waiting.length === 0 && now >= this.#closedUntil;
    return isFree && this.#spent.every((each) => each.at <= now - WINDOW_MS);
  }

  /** Resolves when the call counts as running; rejects with the signal's reason as soon as it fires. */
  async #admitted(
    limits: ModelLimits,
    spent: Spent,
    { signal, onWait, longestWaitMs }: Waiter,
  ): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', stop);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      };
      const stop = () => {
        leave();
        reject(signal.reason);
        this.#letGo();
      };
      const waiting: Waiting = {
        limits,
        spent,
        longestWaitMs: longestWaitMs ?? Infinity,
        refuse(waitMs) {
          leave();
          onWait?.(undefined);
          reject(closedFor(waitMs));
        },
        go() {
          signal.removeEventListener('abort', stop);
          onWait?.(undefined);
          resolve();
        },
        tell: (wait) => onWait?.(wait),
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', stop, { once: true });
      this.#letGo();
      if (this.#waiting.includes(waiting) && this.#waiting[0] !== waiting) waiting.tell({});
    });
  }

  /** 0: it may go. Infinity: once another call has ended. */
  #waitMs(
    { maxConcurrent = Infinity, tokensPerMinute = Infinity }: ModelLimits,
    spent: Spent,
    now: number,
  ): number {
    if (this.#running >= Math.max(1, maxConcurrent)) return Infinity;
    if (now < this.#closedUntil) return this.#closedUntil - now;
    this.#spent = this.#spent.filter((each) => each.at > now - WINDOW_MS);
    const [oldest] = this.#spent;
    const sum = this.#spent.reduce((total, each) => total + each.tokens, 0);
    // A call that is larger than the limit goes alone.
    if (oldest === undefined || sum === 0 || sum + spent.tokens <= tokensPerMinute) return 0;
    return oldest.at + WINDOW_MS - now;
  }

  /** Those that wait go, from the first, until one may not. */
  #letGo(): void {
    clearTimeout(this.#timer);
    const closedMs = this.#closedUntil - Date.now();
    for (const waiting of this.#waiting.filter((each) => closedMs > each.longestWaitMs))
      waiting.refuse(closedMs);
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const now = Date.now();
      const wait = this.#waitMs(first.limits, first.spent, now);
      if (wait > 0) {
        first.tell(wait < Infinity ? { untilAt: now + wait } : {});
        if (wait < Infinity) this.#timer = setTimeout(() => this.#letGo(), wait);
        return;
      }
      this.#waiting.shift();
      this.#running++;
      first.spent.at = now;
      this.#spent.push(first.spent);
      first.go();
    }
  }
}

function closedFor(retryAfterMs: number): ModelError {
  const details = `another call was asked to wait, for ${retryAfterMs} ms from now; this one was not sent`;
  return modelFailure('Model.RateLimited', details, { retryAfterMs });
}

function tokensOf(usage: Usage | undefined): number | undefined {
  return usage?.inputTokens === undefined ? undefined : usage.inputTokens + (usage.outputTokens ?? 0);
}

function estimate({ instructions, messages, tools }: ModelRequest): number {
  const before = JSON.stringify([instructions, tools]).length;
  const written = messages.reduce((sum, message) => sum + lengthOf(message), before);
  return Math.ceil(written / CHARACTERS_A_TOKEN);
}

/** Of messages, which never change and come again with each call. */
const lengths = new WeakMap<Message, number>();

function lengthOf(message: Message): number {
  const known = lengths.get(message);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(message, (_key, value: unknown) =>
    isAttached(value) ? { ...value, data: ATTACHED } : value,
  );
  lengths.set(message, length);
  return length;
}

/** An image or a file costs what is in it, and not what its base64 takes. */
function isAttached(value: unknown): value is { type: 'image' | 'file'; data: string } {
  return isJsonObject(value) && ['image', 'file'].includes(String(value['type'])) && 'data' in value;
}

const limiters = new Map<string, Limiter>();

/** The one of this process for a model at an address. */
export function limiterAt(place: string): Limiter {
  const known = limiters.get(place);
  if (known) return known;
  const now = Date.now();
  for (const [other, limiter] of limiters) if (limiter.isIdle(now)) limiters.delete(other);
  const limiter = new Limiter();
  limiters.set(place, limiter);
  return limiter;
}
