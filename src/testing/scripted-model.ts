import { refuseEmpty } from '../activities/openai/empty-reply.js';
import { toStopReason } from '../activities/openai/stop-reason.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
} from '../shared/model-port.js';
import { faultError, textBeforeFault } from './fault-error.js';
import { nextAnswer } from './next-answer.js';
import { pause, piecesOf, untilAborted } from './pieces.js';
import type { Script } from './script.js';

export type ScriptedModelOptions = {
  /** Default `scripted`. */
  name?: string;
  /** How much text comes at once; default 8 characters. */
  pieceChars?: number;
  /** Between two pieces; default 0. */
  pieceDelayMs?: number;
};

export type ScriptedModel = Model & {
  /** What it was asked, in order, each try of its own. */
  readonly requests: (ModelRequest & { attempt: number })[];
};

/**
 * A model that says what is written. Which reply it gives depends on the request alone (see `nextAnswer`), so that
 * it goes on rightly after its process was killed. Faults are thrown as the adapter for a real provider throws them.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ScriptedModel['requests'] = [];
  const { name = 'scripted', pieceChars = 8, pieceDelayMs = 0 } = options;

  async function stream(content: string, context: ModelContext): Promise<void> {
    for (const piece of piecesOf(content, pieceChars)) {
      await pause(pieceDelayMs, context.signal);
      context.onText(piece);
    }
  }

  async function call(request: ModelRequest, context: ModelContext): Promise<ModelResponse> {
    context.signal.throwIfAborted();
    requests.push({ ...request, messages: [...request.messages], attempt: context.attempt });
    const answer = await untilAborted(nextAnswer(script, request, context.attempt), context.signal);
    if (answer.type === 'raw') {
      throw new ModelError(
        'Model.Misconfigured',
        'Raw answers have no meaning here: use serveScriptedModel.',
        {
          retryable: false,
        },
      );
    }
    await pause(answer.delayMs ?? 0, context.signal);
    if (answer.type === 'fault') {
      await stream(textBeforeFault(answer), context);
      throw faultError(answer);
    }
    for (const part of answer.parts) if (part.type === 'text') await stream(part.text, context);
    context.signal.throwIfAborted();
    const hasCalls = answer.parts.some((part) => part.type === 'tool_call');
    const reply = {
      content: answer.parts,
      stopReason: toStopReason(answer.finish, hasCalls),
      model: request.model,
      ...(answer.usage && { usage: answer.usage }),
    };
    return refuseEmpty(reply, context);
  }

  return { name, requests, call };
}
