import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import { ActivityCancelledError } from '@temporalio/client';
import type { InterruptedReply, ModelHeartbeat } from '../shared/activities.js';
import {
  type Model,
  ModelError,
  type ModelRequest,
  type ModelResponse,
  type Resume,
} from '../shared/model-port.js';
import { errorText, wireText } from '../shared/wire-text.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices } from './services.js';

/** Text that one heartbeat shows; the whole comes with the reply. */
const WINDOW_CHARACTERS = 4096;

/**
 * Calls the model and shows its text in heartbeats as it comes, if anybody watches. An interrupt ends the call with the
 * text that had come; a worker that shuts down gives it up at once, so that another one makes it.
 */
export async function streamReply(
  { interrupts, isDraining }: ActivityServices,
  context: Context,
  model: Model,
  request: ModelRequest,
  stream: boolean,
): Promise<ModelResponse | InterruptedReply> {
  const { attempt } = context.info;
  let text = '';
  let shown = 0;
  let resumed = rememberedBy(context);
  const details = (): ModelHeartbeat => {
    shown = text.length;
    const offset = Math.max(0, text.length - WINDOW_CHARACTERS);
    const window = stream ? text.slice(offset) : '';
    return { v: 1, kind: 'model', attempt, offset, text: window, ...(resumed && { resume: resumed }) };
  };
  const onText = (piece: string) => {
    text += piece;
  };
  const leaving = new AbortController();
  const onTick = () => {
    if (isDraining()) leaving.abort(new DOMException('The worker is shutting down', 'AbortError'));
  };
  const beats = { details, onTick, ...(stream && { hasNews: () => text.length > shown }) };
  return await interrupts.during(context, async (interrupted) => {
    const signal = AbortSignal.any([interrupted, context.cancellationSignal, leaving.signal]);
    const resume: Resume = {
      get: () => resumed,
      async set(id) {
        resumed = id || undefined;
        await recordNow(context, details());
      },
      goesOn: () => !interrupted.aborted && !context.cancellationDetails?.cancelRequested,
    };
    try {
      return await beatWhile(context, beats, () => model.call(request, { signal, attempt, onText, resume }));
    } catch (error) {
      if (interrupted.aborted) return interruptedReply(text);
      throw failureOf(error, context, text, leaving.signal.aborted);
    }
  });
}

/** What the try before this one left to go on with. */
function rememberedBy(context: Context): string | undefined {
  const last: ModelHeartbeat | undefined = context.info.heartbeatDetails;
  return last?.resume || undefined;
}

/** By a call of its own, as a beat may be held back, and a try that ends at once would take it along. */
async function recordNow(context: Context, details: ModelHeartbeat): Promise<void> {
  try {
    await context.client.activity.heartbeat(context.info.taskToken, details);
  } catch (error) {
    if (error instanceof ActivityCancelledError) return;
    throw new ModelError(
      'Model.Connection',
      `What to go on with could not be recorded: ${errorText(error)}`,
      {
        retryable: true,
      },
    );
  }
}

function interruptedReply(text: string): InterruptedReply {
  return { v: 1, interrupted: true, text: text.toWellFormed() };
}

function failureOf(error: unknown, context: Context, text: string, leaving: boolean): Error {
  if (context.cancellationDetails?.cancelRequested) {
    return new CancelledFailure('The model call was interrupted', [interruptedReply(text)]);
  }
  if (leaving || context.cancellationSignal.aborted) {
    return ApplicationFailure.create({
      type: 'Model.Connection',
      message: 'The worker shut down during the model call',
      nextRetryDelay: 1,
    });
  }
  if (!(error instanceof ModelError)) {
    return ApplicationFailure.create({ type: 'Model.Failed', message: errorText(error), nonRetryable: true });
  }
  const isLast = context.info.attempt >= (error.maxAttempts ?? Infinity);
  return ApplicationFailure.create({
    type: error.type,
    message: wireText(error.message),
    nonRetryable: !error.retryable || isLast,
    ...(error.retryAfterMs !== undefined && { nextRetryDelay: Math.max(1, error.retryAfterMs) }),
  });
}
