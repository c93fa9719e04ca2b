import type { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { ActivityCancelledError } from '@temporalio/client';
import type { z } from 'zod';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { AnyTool } from '../define/define-agent.js';
import type { ToolContext } from '../define/define-tool.js';
import { UnknownOutcome } from '../define/tool-outcomes.js';
import type { RunToolInput, RunToolResult } from '../shared/activities.js';
import type { ToolHeartbeat } from '../shared/heartbeats.js';
import type { ToolResultBlock } from '../shared/messages.js';
import {
  invalidArguments,
  notStarted,
  serverLost,
  setupFailed,
  timedOut,
  wasRunning,
} from '../shared/tool-results.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { interruptedFailure, notBegunFailure, shutdownFailure } from './attempt-failures.js';
import { beatWhile } from './heartbeats.js';
import { holdingArtifacts, type ReadingArtifacts } from './held-artifacts.js';
import { problemLines } from './problem-lines.js';
import { bounded } from './time-bounds.js';
import { ToolAnswer } from './tool-answer.js';
import { retryFailure } from './tool-retries.js';
import type { ToolSetups } from './tool-setups.js';

/** A tool that its timeout has told to stop gets this long to do so. */
const STOP_GRACE_MS = 2000;
/** More than a heartbeat shows of it. */
const PROGRESS_CHARACTERS = 2000;

/** One attempt at one tool call. */
export class ToolExecution {
  /** The same on every attempt: the call's place in the world. */
  readonly idempotencyKey: string;
  readonly #context: Context;
  readonly #tool: AnyTool;
  readonly #input: RunToolInput;
  readonly #called: { id: string; name: string };
  readonly #answer: ToolAnswer;
  readonly #artifacts: Artifacts;
  readonly #interrupted: AbortSignal;
  readonly #timeout = new AbortController();
  /** ISO 8601. */
  readonly startedAt = new Date().toISOString();
  #begun = false;
  #progress: string | undefined;
  #setup: unknown;
  /** Of the tool's timeout. */
  #setupMs = 0;

  /** `interrupted` fires when the turn is interrupted in this process. */
  constructor(
    context: Context,
    tool: AnyTool,
    input: RunToolInput,
    artifacts: Artifacts,
    interrupted: AbortSignal,
  ) {
    this.#context = context;
    this.#tool = tool;
    this.#input = input;
    this.#answer = new ToolAnswer(tool, input, artifacts);
    this.#artifacts = artifacts;
    this.#interrupted = interrupted;
    this.#called = { id: input.callId, name: input.tool };
    this.idempotencyKey = `${context.info.workflowExecution?.workflowId}/${input.iteration}/${input.callId}`;
  }

  /**
   * Records on the server, before the body runs, that it may have had effects. No acknowledgement, no run: after a
   * crash this is what tells "it had not begun" from "nobody knows".
   */
  async recordBegun(): Promise<void> {
    this.#begun = true;
    try {
      await this.#context.client.activity.heartbeat(this.#context.info.taskToken, this.#heartbeat());
    } catch (error) {
      if (error instanceof ActivityCancelledError) throw interruptedFailure(this.#called);
      throw notBegunFailure(`That ${this.#called.name} begins could not be recorded: ${errorText(error)}`);
    }
  }

  /**
   * Waits for what the tool's `setup` makes, before the call begins: gives its result where it can't. An interrupt ends
   * the wait and not the set-up, for which others may wait.
   */
  async setUp(setups: ToolSetups): Promise<ToolResultBlock | undefined> {
    if (!this.#tool.setup) return undefined;
    const startedAt = performance.now();
    const timer = globalThis.setTimeout(() => this.#timeout.abort(this.#tookTooLong()), this.#tool.timeoutMs);
    try {
      this.#setup = await this.beating(() => setups.of(this.#tool, this.#signal()));
      this.#setupMs = performance.now() - startedAt;
      return undefined;
    } catch (error) {
      if (this.#interrupted.aborted) return notStarted(this.#called);
      if (this.#context.cancellationSignal.aborted) {
        if (this.#context.cancellationDetails?.cancelRequested) throw interruptedFailure(this.#called);
        throw notBegunFailure(`The worker shut down before ${this.#called.name} began`);
      }
      const again = this.#retry(error);
      if (again) throw again;
      return setupFailed(this.#called, errorText(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs `work` with this attempt's heartbeats. */
  async beating<Result>(work: () => Promise<Result>): Promise<Result> {
    return await beatWhile(this.#context, { details: () => this.#heartbeat() }, work);
  }

  get #attempt(): number {
    return this.#context.info.attempt + (this.#input.triesBefore ?? 0);
  }

  #heartbeat(): ToolHeartbeat {
    const progress = this.#progress === undefined ? {} : { progress: this.#progress };
    const attempt = this.#attempt;
    return { v: 1, kind: 'tool', attempt, begun: this.#begun, startedAt: this.startedAt, ...progress };
  }

  async run(): Promise<ToolResultBlock> {
    const { artifacts } = this.#input;
    return await holdingArtifacts(this.#artifacts, artifacts, (reading) => this.#runReading(reading));
  }

  async #runReading(reading: ReadingArtifacts): Promise<ToolResultBlock> {
    const { input } = this.#tool;
    const parsed: z.ZodSafeParseResult<unknown> = await reading(() =>
      input.safeParseAsync(this.#input.input),
    );
    if (!parsed.success) return invalidArguments(this.#called, problemLines(parsed.error.issues));
    if (this.#interrupted.aborted) return notStarted(this.#called);
    const startedAt = performance.now();
    const result = await this.#runWithin(parsed.data);
    return { ...result, durationMs: Math.round(performance.now() - startedAt) };
  }

  /** What the activity tells. */
  tellsOf(result: ToolResultBlock): RunToolResult {
    const attempt = this.#attempt;
    const hasRun = result.durationMs !== undefined;
    return { v: 1, result, ...(hasRun && { startedAt: this.startedAt }), ...(attempt > 1 && { attempt }) };
  }

  /** Throws where nothing of the value can be read. */
  async ok(value: unknown): Promise<ToolResultBlock> {
    return await this.#answer.ok(value);
  }

  /** The body races its timeout; one that does not stop when told to is left behind, and the result says so. */
  async #runWithin(args: unknown): Promise<ToolResultBlock> {
    const { timeoutMs } = this.#tool;
    const seconds = timeoutMs < 1000 ? timeoutMs / 1000 : Math.round(timeoutMs / 1000);
    const ended = await bounded(this.#runBody(args), {
      ms: Math.max(1, timeoutMs - this.#setupMs),
      onLate: () => this.#timeout.abort(this.#tookTooLong()),
      // Of a local activity people's messages wait for the end.
      lateMs: this.#context.info.isLocal ? 0 : STOP_GRACE_MS,
      signal: this.#context.cancellationSignal,
      graceMs: STOP_GRACE_MS,
      // An interrupt is settled by the workflow, which waits no longer either.
      waitsOn: () => this.#context.cancellationDetails?.cancelRequested === true,
    });
    // A worker that shuts down does not wait for a tool that ignores its signal.
    if (ended === 'deaf') throw this.#stopped(new Error('it did not stop when asked'));
    if (ended !== 'overdue' && !ended.isLate) return ended.value;
    // One that may still run would run beside its next try.
    const again = ended !== 'overdue' && this.#retry(this.#timeout.signal.reason);
    if (again) throw again;
    return timedOut(this.#called, seconds, ended === 'overdue');
  }

  async #runBody(args: unknown): Promise<ToolResultBlock> {
    try {
      return await this.ok(await this.#tool.run(args, this.#toolContext()));
    } catch (error) {
      if (this.#interrupted.aborted) return wasRunning(this.#called);
      if (this.#context.cancellationSignal.aborted) throw this.#stopped(error);
      if (error instanceof UnknownOutcome) return serverLost(this.#called, error.message);
      const again = this.#retry(error);
      if (again) throw again;
      return await this.#answer.threw(errorText(error));
    }
  }

  /** Only what somebody asked for is an interrupt. A shutdown is none. */
  #stopped(error: unknown): ApplicationFailure | CancelledFailure {
    if (this.#context.cancellationDetails?.cancelRequested)
      return interruptedFailure(this.#called, this.startedAt);
    return shutdownFailure(this.#called, this.#tool, this.startedAt, error);
  }

  /** To be thrown where Temporal is to start the call again. */
  #retry(error: unknown): ApplicationFailure | undefined {
    const attempt = this.#attempt;
    return retryFailure(error, this.#tool.retry, { attempt, startedAt: this.startedAt });
  }

  #tookTooLong(): DOMException {
    const seconds = Math.round(this.#tool.timeoutMs / 1000);
    return new DOMException(`${this.#called.name} took longer than ${seconds} s`, 'TimeoutError');
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#interrupted, this.#context.cancellationSignal, this.#timeout.signal]);
  }

  #toolContext(): ToolContext {
    const { turnId, callId, metadata = {} } = this.#input;
    const make = () => this.#signal();
    let signal: AbortSignal | undefined;
    return {
      // Most tools are over before they would look at it.
      get signal() {
        signal ??= make();
        return signal;
      },
      // A tool may put one of its own in its place.
      set signal(own) {
        signal = own;
      },
      idempotencyKey: this.idempotencyKey,
      progress: (text) => {
        this.#progress = wireLine(typeof text === 'string' ? text.slice(0, PROGRESS_CHARACTERS) : text);
      },
      saveArtifact: (content) => this.#answer.save(content),
      turnId,
      callId,
      attempt: this.#attempt,
      metadata,
      setup: this.#setup,
    };
  }
}
