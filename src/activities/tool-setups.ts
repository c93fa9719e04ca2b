import type { AnyTool } from '../define/define-agent.js';
import { orAborted } from '../shared/or-aborted.js';
import { errorText } from '../shared/wire-text.js';
import { within } from './time-bounds.js';

type Setup = NonNullable<AnyTool['setup']>;
type Made = { value: Promise<unknown>; over: AbortController };

/** For what was set up to be disposed of; nobody waits longer. */
const DISPOSE_MS = 5000;

/**
 * What the tools of one worker have set up, each when a call first needs it. By the function: tools that have the same one
 * share what it made. One that failed is forgotten, so that the next call tries again.
 */
export class ToolSetups {
  readonly #made = new Map<Setup, Made>();
  readonly #warn: (text: string) => void;
  #isClosed = false;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** Undefined for a tool without `setup`. Rejects with what that threw, or when `signal` fires; that it does not hear of. */
  async of(tool: AnyTool, signal: AbortSignal): Promise<unknown> {
    const { setup } = tool;
    if (!setup) return undefined;
    const { value } = this.#made.get(setup) ?? this.#begin(tool, setup);
    return await orAborted(value, signal);
  }

  /** To be called when no call runs any more: disposes of all, and gives up what is being set up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#made.values()];
    this.#made.clear();
    await Promise.all(
      all.map(async ({ value, over }) => {
        over.abort(new DOMException('The worker shuts down', 'AbortError'));
        const disposed = value.then(
          (made) => this.#dispose(made),
          () => undefined,
        );
        await within(disposed, DISPOSE_MS);
      }),
    );
  }

  #begin(tool: AnyTool, setup: Setup): Made {
    if (this.#isClosed) throw new Error('the worker has shut down');
    const over = new AbortController();
    const value = this.#setUp(tool, setup, over);
    this.#made.set(setup, { value, over });
    value.catch(() => this.#made.delete(setup));
    return { value, over };
  }

  async #setUp({ name, timeoutMs }: AnyTool, setup: Setup, over: AbortController): Promise<unknown> {
    const making = (async (): Promise<unknown> => await setup({ signal: over.signal }))();
    const timer = setTimeout(() => {
      over.abort(new DOMException(`${name} took longer than ${timeoutMs / 1000} s for it`, 'TimeoutError'));
    }, timeoutMs);
    try {
      return await orAborted(making, over.signal);
    } catch (error) {
      // What comes too late nobody will use.
      if (over.signal.aborted)
        making.then(
          (late) => this.#dispose(late),
          () => undefined,
        );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #dispose(made: unknown): Promise<void> {
    if (typeof made !== 'object' || made === null) return;
    try {
      const owner = made as Partial<AsyncDisposable & Disposable>;
      if (owner[Symbol.asyncDispose]) await owner[Symbol.asyncDispose]?.();
      else owner[Symbol.dispose]?.();
    } catch (error) {
      this.#warn(`What a tool's setup made could not be disposed of: ${errorText(error)}`);
    }
  }
}
