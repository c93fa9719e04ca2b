import type { ModelError } from '../../shared/model-port.js';
import { modelFailure } from './model-failure.js';

/** The longest that Node's timers and a Temporal activity may take alike. */
const LONGEST_MS = 2 ** 31 - 1;

/** One for all, since each draws up a stack. Nobody sees it: the request has its result by then. */
const LET_GO = new DOMException('The rest of the answer is not needed', 'AbortError');

export type WireTimer = {
  signal: AbortSignal;
  problem(): ModelError | undefined;
  /** From now, in place of what it waited for before; `told` is how long it is called, where a part of it is over. */
  waitFor(what: string, ms: number, told?: number): void;
  waitNoMore(): void;
  stop(readToEnd: boolean): void;
};

/**
 * Ends a request by `signal`: when `parent` fires, and when what it waits for takes too long. In the latter case
 * `problem()` is the error to throw. `stop` must be called in the end; it lets go of the connection, unless the answer
 * was read to its end, as that left the connection to the next request.
 */
export function wireTimer(parent: AbortSignal): WireTimer {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  let timer: NodeJS.Timeout | undefined;
  let problem: ModelError | undefined;
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    problem: () => problem,
    waitFor(what: string, ms: number, told = ms): void {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          problem = modelFailure('Model.Timeout', `${what} for ${told} ms`);
          controller.abort(problem);
        },
        Math.min(ms, LONGEST_MS),
      );
    },
    waitNoMore: () => clearTimeout(timer),
    stop(readToEnd: boolean): void {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
      if (!readToEnd) controller.abort(LET_GO);
    },
  };
}
