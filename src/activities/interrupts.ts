import type { Context } from '@temporalio/activity';

/**
 * The activities that run in this process, by workflow run, so that an interrupt reaches them at once: the workflow's
 * sink calls `interrupt`. Anywhere else, they hear of it at their next heartbeat.
 */
export class Interrupts {
  readonly #running = new Map<string, Set<AbortController>>();

  interrupt(runId: string): void {
    for (const controller of this.#running.get(runId) ?? []) {
      controller.abort(new DOMException('The turn was interrupted', 'AbortError'));
    }
  }

  /** Runs `work` with a signal that fires on an interrupt of the activity's workflow run. */
  async during<Result>(
    context: Context,
    work: (interrupted: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const runId = context.info.workflowExecution?.runId ?? '';
    const controllers = this.#running.get(runId) ?? new Set();
    const controller = new AbortController();
    this.#running.set(runId, controllers.add(controller));
    try {
      return await work(controller.signal);
    } finally {
      controllers.delete(controller);
      if (controllers.size === 0) this.#running.delete(runId);
    }
  }
}
