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

type Asking = { input: CompactInput; tries: Tries; messages: readonly Message[]; maxTokens: number };

/**
 * A summary of the messages, by the agent's model for that; where the request is too long itself, of less of them. Throws
 * as a model call does. A refusal gives an empty text.
 */
export async function summarise(
  services: ActivityServices,
  agent: Agent,
  { input, tries, messages, maxTokens }: Asking,
): Promise<{ text: string; usage?: Usage } | InterruptedReply> {
  const { settings, tokens, focus } = input;
  const own = agent.compaction.model;
  const model = own !== undefined && typeof own !== 'string' ? own : services.modelFor(agent);
  const most = Math.max(LEAST_CHARACTERS, (settings.window ?? tokens) * REQUEST_SHARE * CHARACTERS_A_TOKEN);
  const requestOf = (characters: number): ModelRequest => ({
    model: settings.model ?? input.model,
    instructions: SUMMARY_INSTRUCTIONS,
    messages: [
      {
        role: 'user',
        id: 'summary-request',
        content: textContent(
          'summary-request',
          summaryRequest(messages, { maxTokens, ...(focus !== undefined && { focus }) }, characters),
        ),
      },
    ],
    tools: [],
  });
  const patient = shorterIfRefused(model, most, requestOf);
  const prepare = async () => ({ request: requestOf(most) });
  const context = Context.current();
  const replied = await streamReply(services, { context, tries }, patient, prepare, false);
  if ('interrupted' in replied) return replied;
  const { content, stopReason, usage } = replied.response;
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text: stopReason === 'refusal' ? '' : text, ...(usage && { usage }) };
}

function shorterIfRefused(
  model: Model,
  most: number,
  requestOf: (characters: number) => ModelRequest,
): Model {
  return {
    name: model.name,
    async call(request, context) {
      for (let shorter = 0, asked = request; ; shorter++) {
        try {
          return await model.call(asked, context);
        } catch (error) {
          const isTooLong = error instanceof ModelError && error.type === 'Model.ContextTooLong';
          if (!isTooLong || shorter >= MAX_SHORTER) throw error;
          context.onSpent?.(error.usage);
          asked = requestOf(most / 2 ** (shorter + 1));
        }
      }
    },
  };
}
