import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import type { InterruptedReply } from '../shared/activities.js';
import type { ModelHeartbeat } from '../shared/heartbeats.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
  type Resume,
  type Wait,
} from '../shared/model-port.js';
import type { UnknownUsage } from '../shared/usage.js';
import { errorText, wireText } from '../shared/wire-text.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices } from './services.js';
import type { Tries } from './tries.js';

/** Text that one heartbeat shows; the whole comes with the reply. */
const WINDOW_CHARACTERS = 4096;

/**
 * Prepares the request, calls the model and shows its text in heartbeats as it comes, if anybody watches. An interrupt
 * ends the call with the text that had come; a worker that shuts down gives it up at once, so that another one makes it.
 */
export async function streamReply<Asked extends { request: ModelRequest }>(
  { interrupts, isDraining }: ActivityServices,
  { context, tries }: { context: Context; tries: Tries },
  model: Model,
  prepare: (signal: AbortSignal) => Promise<Asked>,
  stream: boolean,
): Promise<{ response: ModelResponse; asked: Asked } | InterruptedReply> {
  const { attempt } = context.info;
  let text = '';
  let shown = 0;
  let stage: 'waiting' | 'sent' | undefined;
  const spentByText = () => (text === '' ? undefined : 'unknown');
  const spentIfDead = () => (stage === 'sent' ? 'unknown' : spentByText());
  // What an ended call has cost, no provider tells.
  const spentIfEnded = () => (stage === 'waiting' ? undefined : 'unknown');
  const details = (): ModelHeartbeat => {
    shown = text.length;
    const offset = Math.max(0, text.length - WINDOW_CHARACTERS);
    const beat = tries.beat({ offset, text: stream ? text.slice(offset) : '' }, spentIfDead());
    return wait ? { ...beat, waiting: waitingFor(wait) } : beat;
  };
  const onText = (piece: string) => {
    text += piece;
  };
  let wait: Wait | undefined;
  const onWait = (latest: Wait | undefined) => {
    wait = latest;
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
    const modelContext: ModelContext = {
      ...{ signal, attempt, onText, onWait, resume },
      faultsBefore: (type) => tries.faultsBefore(type),
      onSpent: (usage) => tries.add(usage),
      onStage(now) {
        stage = now;
      },
    };
    try {
      return await beatWhile(context, beats, async () => {
        stage = 'waiting';
        const asked = await prepare(signal);
        stage = undefined;
        return { response: await model.call(asked.request, modelContext), asked };
      });
    } catch (error) {
      if (interrupted.aborted) return interruptedReply(text, tries, spentIfEnded());
      if (context.cancellationDetails?.cancelRequested) {
        const reply = interruptedReply(text, tries, spentIfEnded());
        throw new CancelledFailure('The model call was interrupted', [reply]);
      }
      const isLeaving = leaving.signal.aborted || context.cancellationSignal.aborted;
      const spent = error instanceof ModelError ? error.usage : isLeaving ? spentIfEnded() : undefined;
      throw await tries.failed(failureOf(error, tries, isLeaving), spent ?? spentByText());
    }
  });
}

function waitingFor({ untilAt }: Wait): NonNullable<ModelHeartbeat['waiting']> {
  return untilAt === undefined ? {} : { untilAt: new Date(untilAt).toISOString() };
}

function interruptedReply(text: string, tries: Tries, usage: UnknownUsage | undefined): InterruptedReply {
  return {
    v: 1,
    interrupted: true,
    text: text.toWellFormed(),
    spent: tries.spentWith(usage),
    ...tries.told,
  };
}

function failureOf(error: unknown, tries: Tries, isLeaving: boolean): ApplicationFailure {
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
  tries.addFault(error.type, error.maxAttempts !== undefined);
  const isLast = tries.faultsBefore(error.type) >= (error.maxAttempts ?? Infinity);
  return ApplicationFailure.create({
    type: error.type,
    message: wireText(error.message),
    nonRetryable: !error.retryable || isLast,
    ...delayOf(error),
  });
}

/** Without any wait all tries would be used up at once, unless the fault bounds them itself. */
function delayOf({ retryAfterMs, maxAttempts }: ModelError): { nextRetryDelay?: number } {
  if (retryAfterMs === undefined || (retryAfterMs <= 0 && maxAttempts === undefined)) return {};
  return { nextRetryDelay: Math.max(1, retryAfterMs) };
}
