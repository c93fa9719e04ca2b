import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import { ActivityCancelledError } from '@temporalio/client';
import type { ModelHeartbeat } from '../shared/heartbeats.js';
import { ModelError } from '../shared/model-port.js';
import type { Timing } from '../shared/steps.js';
import {
  addFailed,
  joinUsage,
  noUsage,
  spentIn,
  type TurnUsage,
  type UnknownUsage,
  type Usage,
} from '../shared/usage.js';
import { errorText } from '../shared/wire-text.js';

type Spent = Usage | UnknownUsage | undefined;
type Text = Pick<ModelHeartbeat, 'offset' | 'text'>;

/**
 * What one model call's tries hand on to one another, in their heartbeats: with what to go on, what those have cost
 * that came to nothing, and of what they died. The last one tells the cost with its reply or its failure, so that it
 * counts however the call ends.
 */
export class Tries {
  readonly #context: Context;
  readonly #faults: Record<string, number>;
  /** A reply that the provider works on by itself. */
  #resume: string | undefined;
  /** Of what came to nothing before now, in this try, too. */
  #spent: TurnUsage;
  /** The server has been told otherwise, or would have to be told what no number of a try says. */
  #mustRecord = false;
  readonly #startedAt = new Date().toISOString();
  readonly #started = performance.now();

  constructor(context: Context) {
    const { attempt, heartbeatDetails } = context.info;
    const last: ModelHeartbeat | undefined = heartbeatDetails;
    this.#context = context;
    this.#faults = { ...last?.faults };
    this.#resume = last?.resume || undefined;
    this.#spent = spentBy(last, attempt - 1);
  }

  /** This try, up to now. */
  get told(): Timing & { attempt: number } {
    const durationMs = Math.round(performance.now() - this.#started);
    return { startedAt: this.#startedAt, durationMs, attempt: this.#context.info.attempt };
  }

  get resume(): string | undefined {
    return this.#resume;
  }

  /** Resolves once it is recorded, before which nothing goes on with it; throws a ModelError where it could not be. */
  async setResume(id: string): Promise<void> {
    if (id !== '') await this.#record(this.beat(NO_TEXT, undefined, id));
    this.#resume = id || undefined;
    const now = this.beat(NO_TEXT, undefined);
    // What is forgotten and not recorded is asked for once more, which does no harm.
    if (id === '') await this.#record(now).catch(() => undefined);
    // A beat from before it that is held back would go out after it.
    this.#context.heartbeat(now);
  }

  /** A request of this try came to nothing; undefined where it had not got as far as to cost anything. */
  add(usage: Spent): void {
    this.#spent = addFailed(this.#spent, usage);
    this.#mustRecord = true;
  }

  /** How many of the tries before died of it. */
  faultsBefore(type: string): number {
    return this.#faults[type] ?? 0;
  }

  /** This try dies of it. Of a fault that counts, the next try has to know. */
  addFault(type: string, counts: boolean): void {
    this.#faults[type] = this.faultsBefore(type) + 1;
    this.#mustRecord ||= counts;
  }

  /** Of the tries before this one, and of the requests of this one that came to nothing; undefined for none. */
  get spentBefore(): TurnUsage | undefined {
    return this.#spent === noUsage ? undefined : this.#spent;
  }

  /** Had this try failed just now, having cost this. */
  spentWith(usage: Spent): TurnUsage {
    return addFailed(this.#spent, usage);
  }

  /**
   * If the worker dies after it, this try counts as one that cost `usage`; one whose reply is gone on with does not
   * count, as that reply will tell its cost itself.
   */
  beat(text: Text, usage: Spent, resume = this.#resume): ModelHeartbeat {
    const { attempt } = this.#context.info;
    this.#mustRecord ||= usage !== undefined;
    return {
      ...{ v: 1, kind: 'model', attempt, ...text },
      ...(resume !== undefined && { resume }),
      spent: resume === undefined ? this.spentWith(usage) : this.#spent,
      ...(Object.keys(this.#faults).length > 0 && { faults: this.#faults }),
    };
  }

  /** The fault as the workflow is told of it: with what all tries have cost, this one included. The next try is told, too. */
  async failed(error: unknown, usage: Spent): Promise<Error> {
    if (error instanceof CancelledFailure) return error;
    const last = this.beat(NO_TEXT, usage);
    if (this.#mustRecord) {
      // A beat that is held back goes out last.
      this.#context.heartbeat(last);
      await this.#record(last).catch(() => undefined);
    }
    const failure = ApplicationFailure.fromError(error as Error);
    return Object.assign(failure, { details: [{ v: 1, spent: this.spentWith(usage), ...this.told }] });
  }

  /** By a call of its own, as a beat may be held back, and a try that ends at once would take it along. */
  async #record(beat: ModelHeartbeat): Promise<void> {
    const { client, info } = this.#context;
    try {
      await client.activity.heartbeat(info.taskToken, beat);
    } catch (error) {
      if (error instanceof ActivityCancelledError) return;
      const text = `What to go on with could not be recorded: ${errorText(error)}`;
      throw new ModelError('Model.Connection', text, { retryable: true });
    }
  }
}

const NO_TEXT: Text = { offset: 0, text: '' };

/** A try that left no beat, or whose beats were lost, counts by its number: it cost nothing that anybody knows of. */
function spentBy(last: ModelHeartbeat | undefined, tries: number): TurnUsage {
  const counted = last?.attempt ?? 0;
  const known = spentIn(last) ?? { ...noUsage, failedCalls: counted };
  const silent = last?.resume ? 0 : tries - counted;
  if (tries === 0 && spentIn(last) === undefined) return noUsage;
  return silent > 0 ? joinUsage(known, { ...noUsage, failedCalls: silent }) : known;
}
