import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import { ActivityCancelledError } from '@temporalio/client';
import type { ModelHeartbeat } from '../shared/activities.js';
import { ModelError } from '../shared/model-port.js';
import type { Timing } from '../shared/steps.js';
import {
  addFailed,
  noUsage,
  spentIn,
  type TurnUsage,
  type UnknownUsage,
  type Usage,
} from '../shared/usage.js';
import { errorText } from '../shared/wire-text.js';

type Spent = Usage | UnknownUsage | undefined;

/**
 * What one model call's tries hand on to one another, in their heartbeats: with what to go on, and what those have cost
 * that came to nothing. The last one tells it with its reply or its failure, so that it counts however the call ends.
 */
export class Tries {
  readonly #context: Context;
  /** A reply that the provider works on by itself. */
  #resume: string | undefined;
  #spent: TurnUsage;
  readonly #startedAt = new Date().toISOString();
  readonly #started = performance.now();

  constructor(context: Context) {
    const last: ModelHeartbeat | undefined = context.info.heartbeatDetails;
    this.#context = context;
    this.#resume = last?.resume || undefined;
    this.#spent = spentIn(last) ?? noUsage;
  }

  /** Of this try, up to now. */
  get timing(): Timing {
    const durationMs = Math.round(performance.now() - this.#started);
    return { startedAt: this.#startedAt, durationMs };
  }

  get resume(): string | undefined {
    return this.#resume;
  }

  /** Resolves once it is recorded. Throws a ModelError where it could not be. */
  async setResume(id: string): Promise<void> {
    this.#resume = id || undefined;
    await this.#record();
  }

  /** A request of this try came to nothing; undefined where it had not got as far as to cost anything. */
  add(usage: Spent): void {
    this.#spent = this.#with(usage);
  }

  /** Of the tries before this one; undefined for the first. */
  get spentBefore(): TurnUsage | undefined {
    return this.#told(this.#spent, this.#context.info.attempt - 1);
  }

  /** Had this try failed just now, having cost this. */
  spentWith(usage: Spent): TurnUsage | undefined {
    return this.#told(this.#with(usage), this.#context.info.attempt);
  }

  /** If the worker dies after it, this try counts as one that cost `usage`. */
  beat(text: { offset: number; text: string }, usage: Spent): ModelHeartbeat {
    const { attempt } = this.#context.info;
    const sum = this.#with(usage);
    const hasSpent = (sum.failedCalls ?? 0) > 0;
    return {
      ...{ v: 1, kind: 'model', attempt, ...text },
      ...(this.#resume !== undefined && { resume: this.#resume }),
      ...(hasSpent && { spent: sum }),
    };
  }

  /**
   * The fault as the workflow is told of it: with what all tries have cost, this one included. The next try is told,
   * too; but not of what it goes on with, as that will tell its cost itself.
   */
  async failed(error: unknown, usage: Spent): Promise<Error> {
    if (error instanceof CancelledFailure) return error;
    const spent = this.spentWith(usage);
    if (usage !== undefined && this.#resume === undefined) {
      this.add(usage);
      // A beat that is held back goes out last.
      this.#context.heartbeat(this.beat(NO_TEXT, undefined));
      await this.#record().catch(() => undefined);
    }
    const failure = ApplicationFailure.fromError(error as Error);
    return Object.assign(failure, { details: [{ v: 1, spent, ...this.timing }] });
  }

  /** By a call of its own, as a beat may be held back, and a try that ends at once would take it along. */
  async #record(): Promise<void> {
    const { client, info } = this.#context;
    try {
      await client.activity.heartbeat(info.taskToken, this.beat(NO_TEXT, undefined));
    } catch (error) {
      if (error instanceof ActivityCancelledError) return;
      const text = `What to go on with could not be recorded: ${errorText(error)}`;
      throw new ModelError('Model.Connection', text, { retryable: true });
    }
  }

  #with(usage: Spent): TurnUsage {
    return usage === undefined ? this.#spent : addFailed(this.#spent, usage);
  }

  /** A try that cost nothing leaves no trace but its number. */
  #told(sum: TurnUsage, failedTries: number): TurnUsage | undefined {
    if (failedTries === 0 && sum === noUsage) return undefined;
    return { ...sum, failedCalls: Math.max(failedTries, sum.failedCalls ?? 0) };
  }
}

const NO_TEXT = { offset: 0, text: '' };
