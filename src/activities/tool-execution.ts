import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import { ActivityCancelledError } from '@temporalio/client';
import type { z } from 'zod';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { AnyTool } from '../define/define-agent.js';
import { RetryableToolError, type ToolContext } from '../define/define-tool.js';
import { ErrorResult, UnknownOutcome } from '../define/tool-outcomes.js';
import type { RunToolInput, ToolHeartbeat } from '../shared/activities.js';
import { type ArtifactRef, type ArtifactSource, keptNote } from '../shared/artifacts.js';
import { WORKER_LOST } from '../shared/failures.js';
import type { ToolResultBlock } from '../shared/messages.js';
import {
  invalidArguments,
  notStarted,
  serverLost,
  timedOut,
  toolThrew,
  wasRunning,
} from '../shared/tool-results.js';
import { errorText, wireLine, wireText } from '../shared/wire-text.js';
import { beatWhile } from './heartbeats.js';
import { holdingArtifacts, type ReadingArtifacts } from './held-artifacts.js';
import { problemLines } from './problem-lines.js';
import { resultWithArtifacts } from './result-artifacts.js';

/** A tool that its timeout has told to stop gets this long to do so. */
const STOP_GRACE_MS = 2000;
/** Of an error's text, where a note follows. */
const MAX_ERROR_BYTES = 7000;
/** More than a heartbeat shows of it. */
const PROGRESS_CHARACTERS = 2000;

/** One attempt at one tool call. */
export class ToolExecution {
  /** The same on every attempt: the call's place in the world. */
  readonly idempotencyKey: string;
  readonly #context: Context;
  readonly #tool: AnyTool;
  readonly #input: RunToolInput;
  readonly #artifacts: Artifacts;
  readonly #called: { id: string; name: string };
  readonly #interrupted: AbortSignal;
  readonly #timeout = new AbortController();
  /** ISO 8601. */
  readonly startedAt = new Date().toISOString();
  #begun = false;
  #progress: string | undefined;
  /** What the tool has kept itself. */
  #kept: Promise<ArtifactRef> | undefined;

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
      if (error instanceof ActivityCancelledError) throw this.#canceled(false);
      throw this.#notBegun(error);
    }
  }

  /** Tried again; and where Temporal may not, as after an interrupt, the workflow knows that nothing has happened. */
  #notBegun(error: unknown): ApplicationFailure {
    const message = wireText(`That ${this.#called.name} begins could not be recorded: ${errorText(error)}`);
    return ApplicationFailure.create({ type: WORKER_LOST, message, details: [{ begun: false }] });
  }

  /** Runs `work` with this attempt's heartbeats. */
  async beating<Result>(work: () => Promise<Result>): Promise<Result> {
    return await beatWhile(this.#context, { details: () => this.#heartbeat() }, work);
  }

  #heartbeat(): ToolHeartbeat {
    const progress = this.#progress === undefined ? {} : { progress: this.#progress };
    const { attempt } = this.#context.info;
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

  /** Throws where nothing of the value can be read. */
  async ok(value: unknown): Promise<ToolResultBlock> {
    const { callId, tool } = this.#input;
    const isError = value instanceof ErrorResult;
    const content = await this.#contentOf(isError ? value.value : value);
    const status = isError
      ? ({ status: 'error', cause: 'tool_threw' } as const)
      : ({ status: 'ok' } as const);
    return { type: 'tool_result', callId, name: tool, ...status, ...content };
  }

  async #contentOf(value: unknown): Promise<Pick<ToolResultBlock, 'content' | 'artifact' | 'artifacts'>> {
    const kept = await this.#kept?.catch(() => undefined);
    try {
      const { callId, maxResultBytes, maxImageBytes } = this.#input;
      const bounds = { maxResultBytes, maxImageBytes };
      return await resultWithArtifacts(callId, value, this.#artifacts, kept, bounds);
    } catch (error) {
      throw new Error(`${this.#called.name} ran, but its result can't be read: ${errorText(error)}`);
    }
  }

  /** The body races its timeout; one that does not stop when told to is left behind, and the result says so. */
  async #runWithin(args: unknown): Promise<ToolResultBlock> {
    const seconds = Math.round(this.#tool.timeoutMs / 1000);
    const over = new AbortController();
    try {
      const ended = Promise.race([this.#runBody(args), this.#leftAtShutdown(over.signal)]);
      const inTime = await within(ended, this.#tool.timeoutMs);
      if (inTime !== undefined) return inTime;
      this.#timeout.abort(
        new DOMException(`${this.#called.name} took longer than ${seconds} s`, 'TimeoutError'),
      );
      const stopped = await within(ended, STOP_GRACE_MS);
      return timedOut(this.#called, seconds, stopped === undefined);
    } finally {
      over.abort();
    }
  }

  /** A worker that shuts down does not wait for a tool that ignores its signal. Rejects then, and when `over` fires. */
  async #leftAtShutdown(over: AbortSignal): Promise<never> {
    await fired(this.#context.cancellationSignal, over);
    await setTimeout(STOP_GRACE_MS, undefined, { signal: over });
    // An interrupt is settled by the workflow, which waits no longer either.
    if (this.#context.cancellationDetails?.cancelRequested) await fired(over, over);
    throw this.#stopped(new Error('it did not stop when asked'));
  }

  async #runBody(args: unknown): Promise<ToolResultBlock> {
    try {
      return await this.ok(await this.#tool.run(args, this.#toolContext()));
    } catch (error) {
      if (this.#interrupted.aborted) return wasRunning(this.#called);
      if (this.#context.cancellationSignal.aborted) throw this.#stopped(error);
      if (error instanceof RetryableToolError) throw retryFailure(error);
      if (error instanceof UnknownOutcome) return serverLost(this.#called, error.message);
      return await this.#threw(errorText(error));
    }
  }

  /**
   * Only what somebody asked for is an interrupt. A shutdown is none: an idempotent tool goes on elsewhere, and of any
   * other the workflow finds out what came of it, as after a crash.
   */
  #stopped(error: unknown): ApplicationFailure | CancelledFailure {
    if (this.#context.cancellationDetails?.cancelRequested) return this.#canceled(true);
    const message = wireText(`The worker shut down while ${this.#called.name} ran: ${errorText(error)}`);
    if (this.#tool.idempotent) {
      return ApplicationFailure.create({ type: 'Tool.Retryable', message, nextRetryDelay: 1 });
    }
    const details = [{ begun: true, startedAt: this.startedAt }];
    return ApplicationFailure.create({ type: WORKER_LOST, message, nonRetryable: true, details });
  }

  #canceled(begun: boolean): CancelledFailure {
    const details = begun ? { begun, startedAt: this.startedAt } : { begun };
    return new CancelledFailure(`${this.#called.name} was interrupted`, [details]);
  }

  /** What it had kept before is still to be read. */
  async #threw(text: string): Promise<ToolResultBlock> {
    const artifact = await this.#kept?.catch(() => undefined);
    if (!artifact) return toolThrew(this.#called, text);
    // Before it is cut, so that the note stays.
    const short = wireText(text, MAX_ERROR_BYTES);
    return { ...toolThrew(this.#called, short + keptNote(artifact, short)), artifact };
  }

  async #save(content: string | Uint8Array | ArtifactSource): Promise<ArtifactRef> {
    if (this.#kept) throw new Error(`${this.#called.name} has saved an artifact in this call before.`);
    this.#kept = this.#artifacts.save(typeof content === 'string' ? Buffer.from(content) : content);
    return await this.#kept;
  }

  #toolContext(): ToolContext {
    const { turnId, callId, metadata = {} } = this.#input;
    return {
      signal: AbortSignal.any([this.#interrupted, this.#context.cancellationSignal, this.#timeout.signal]),
      idempotencyKey: this.idempotencyKey,
      progress: (text) => {
        this.#progress = wireLine(typeof text === 'string' ? text.slice(0, PROGRESS_CHARACTERS) : text);
      },
      saveArtifact: (content) => this.#save(content),
      turnId,
      callId,
      attempt: this.#context.info.attempt,
      metadata,
    };
  }
}

/** Resolves when the signal fires; rejects when `over` does. */
async function fired(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort', { signal: over });
}

function retryFailure(error: RetryableToolError): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Tool.Retryable',
    message: wireText(error.message),
    ...(error.afterMs !== undefined && { nextRetryDelay: error.afterMs }),
  });
}

/** What the promise gives, or undefined where it takes longer than `ms`. No timer is left behind. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<undefined>((resolve) => {
    timer = globalThis.setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
