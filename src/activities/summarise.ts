import { Context } from '@temporalio/activity';
import type { Agent } from '../define/define-agent.js';
import type { InterruptedReply } from '../shared/activities.js';
import { SUMMARY_INSTRUCTIONS, summaryRequest } from '../shared/compaction/summary-text.js';
import type { CompactInput } from '../shared/compaction/wire.js';
import { type Message, textContent } from '../shared/messages.js';
import { type Model, ModelError, type ModelRequest } from '../shared/model-port.js';
import type { Usage } from '../shared/usage.js';
import type { ActivityServices } from './services.js';
import { streamReply } from './stream-reply.js';
import type { Tries } from './tries.js';

/** Of the model's window, or of what the transcript takes where nobody knows that. */
const REQUEST_SHARE = 0.6;
/** A text that is dense has fewer for a token. */
const CHARACTERS_A_TOKEN = 3;
const LEAST_CHARACTERS = 2000;
/** Each is half as long as the one before. */
const MAX_SHORTER = 4;
/** What Node's timers can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Asking = {
  input: CompactInput;
  tries: Tries;
  messages: readonly Message[];
  maxTokens: number;
  /** How long this try may take, where its activity is not bounded by that itself. */
  tryMs?: number | undefined;
};

/** `isCut`: the provider's limit of what it writes ended it. */
export type Summary = { text: string; isCut: boolean; usage?: Usage };

/**
 * A summary of the messages, by the agent's model for that; where the request is too long itself, of less of them, and where
 * the provider cut it off, a shorter one. Throws as a model call does. A refusal gives an empty text.
 */
export async function summarise(
  services: ActivityServices,
  agent: Agent,
  { input, tries, messages, maxTokens, tryMs }: Asking,
): Promise<Summary | InterruptedReply> {
  const { settings, tokens, focus } = input;
  const own = agent.compaction.model;
  const model = own !== undefined && typeof own !== 'string' ? own : services.modelFor(agent);
  const most = Math.max(LEAST_CHARACTERS, (settings.window ?? tokens) * REQUEST_SHARE * CHARACTERS_A_TOKEN);
  const requestOf = ({ characters, maxTokens: atMost }: Bounds): ModelRequest => ({
    model: settings.model ?? input.model,
    instructions: SUMMARY_INSTRUCTIONS,
    messages: [
      {
        role: 'user',
        id: 'summary-request',
        content: textContent(
          'summary-request',
          summaryRequest(messages, { maxTokens: atMost, ...(focus !== undefined && { focus }) }, characters),
        ),
      },
    ],
    tools: [],
  });
  const whole = { characters: most, maxTokens };
  const patient = within(askingForLess(model, whole, requestOf), tryMs);
  const prepare = async () => ({ request: requestOf(whole) });
  const context = Context.current();
  const replied = await streamReply(services, { context, tries }, patient, prepare, false);
  if ('interrupted' in replied) return replied;
  const { content, stopReason, usage } = replied.response;
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const isCut = stopReason === 'max_tokens';
  return { text: stopReason === 'refusal' ? '' : text, isCut, ...(usage && { usage }) };
}

/** `characters`: of what it is written of. */
type Bounds = { characters: number; maxTokens: number };

/** What it is asked first it is given; then, where that is too long, or its answer was, what `requestOf` makes. */
export function askingForLess(
  model: Model,
  { characters, maxTokens }: Bounds,
  requestOf: (bounds: Bounds) => ModelRequest,
): Model {
  return {
    name: model.name,
    async call(request, context) {
      const bounds = { characters, maxTokens };
      let wasCut = false;
      for (let shorter = 0, asked = request; ; asked = requestOf(bounds)) {
        try {
          const response = await model.call(asked, context);
          if (response.stopReason !== 'max_tokens' || wasCut) return response;
          wasCut = true;
          // A try that goes on with it would be given the same.
          if (context.resume?.get() !== undefined) await context.resume.set('');
          context.onSpent?.(response.usage ?? 'unknown');
          bounds.maxTokens = Math.min(maxTokens, response.usage?.outputTokens || maxTokens) / 2;
        } catch (error) {
          const isTooLong = error instanceof ModelError && error.type === 'Model.ContextTooLong';
          if (!isTooLong || shorter >= MAX_SHORTER) throw error;
          context.onSpent?.(error.usage);
          shorter += 1;
          bounds.characters = characters / 2 ** shorter;
        }
      }
    },
  };
}

/** Ends a call that takes longer, with `Model.Timeout`. */
export function within(model: Model, ms: number | undefined): Model {
  if (ms === undefined) return model;
  return {
    name: model.name,
    async call(request, context) {
      const late = AbortSignal.timeout(Math.min(ms, LONGEST_TIMER_MS));
      try {
        return await model.call(request, { ...context, signal: AbortSignal.any([context.signal, late]) });
      } catch (error) {
        if (!late.aborted || context.signal.aborted) throw error;
        throw new ModelError('Model.Timeout', `The summary took longer than compaction.timeout, ${ms} ms.`, {
          retryable: true,
          usage: (error instanceof ModelError ? error.usage : undefined) ?? 'unknown',
        });
      }
    },
  };
}
