import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
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
import type { Tries } from './tries.js';

/** Text that one heartbeat shows; the whole comes with the reply. */
const WINDOW_CHARACTERS = 4096;

/**
 * Calls the model and shows its text in heartbeats as it comes, if anybody watches. An interrupt ends the call with the
 * text that had come; a worker that shuts down gives it up at once, so that another one makes it.
 */
export async function streamReply(
  { interrupts, isDraining }: ActivityServices,
  { context, tries }: { context: Context; tries: Tries },
  model: Model,
  request: ModelRequest,
  stream: boolean,
): Promise<ModelResponse | InterruptedReply> {
  const { attempt } = context.info;
  let text = '';
  let shown = 0;
  const spentByText = () => (text === '' ? undefined : 'unknown');
  const details = (): ModelHeartbeat => {
    shown = text.length;
    const offset = Math.max(0, text.length - WINDOW_CHARACTERS);
    return tries.beat({ offset, text: stream ? text.slice(offset) : '' }, spentByText());
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
      get: () => tries.resume,
      set: (id) => tries.setResume(id),
      goesOn: () => !interrupted.aborted && !context.cancellationDetails?.cancelRequested,
    };
    const modelContext = { signal, attempt, onText, resume, onSpent: tries.add.bind(tries) };
    try {
      return await beatWhile(context, beats, () => model.call(request, modelContext));
    } catch (error) {
      if (interrupted.aborted) return interruptedReply(text, tries);
      if (context.cancellationDetails?.cancelRequested) {
        throw new CancelledFailure('The model call was interrupted', [interruptedReply(text, tries)]);
      }
      const isLeaving = leaving.signal.aborted || context.cancellationSignal.aborted;
      const spent = error instanceof ModelError ? error.usage : isLeaving ? 'unknown' : undefined;
      throw await tries.failed(failureOf(error, attempt, isLeaving), spent ?? spentByText());
    }
  });
}

/** What an interrupted call has cost, no provider tells. */
function interruptedReply(text: string, tries: Tries): InterruptedReply {
  const spent = tries.spentWith('unknown');
  return { v: 1, interrupted: true, text: text.toWellFormed(), ...(spent && { spent }), ...tries.timing };
}

function failureOf(error: unknown, attempt: number, isLeaving: boolean): ApplicationFailure {
  if (isLeaving) {
    return ApplicationFailure.create({
      type: 'Model.Connection',
      message: 'The worker shut down during the model call',
      nextRetryDelay: 1,
    });
  }
  if (!(error instanceof ModelError)) {
    return ApplicationFailure.create({ type: 'Model.Failed', message: errorText(error), nonRetryable: true });
  }
  const isLast = attempt >= (error.maxAttempts ?? Infinity);
  return ApplicationFailure.create({
    type: error.type,
    message: wireText(error.message),
    nonRetryable: !error.retryable || isLast,
    ...(error.retryAfterMs !== undefined && { nextRetryDelay: Math.max(1, error.retryAfterMs) }),
  });
}
