import type { ModelResponse } from '../../shared/model-port.js';
import { modelFailure } from './model-failure.js';

/** The model is asked once more, and no oftener. */
const MAX_ATTEMPTS = 2;

/**
 * Throws `Model.EmptyReply` for a reply that ended by itself with neither a text nor a call: it would be kept as a
 * message that providers refuse, and the user would see a turn that ends without a word.
 */
export function refuseEmpty<Reply extends Pick<ModelResponse, 'content' | 'stopReason' | 'usage'>>(
  reply: Reply,
): Reply {
  const { content, stopReason } = reply;
  if (stopReason === 'max_tokens' || stopReason === 'refusal') return reply;
  const says = content.some(
    (part) => part.type === 'tool_call' || (part.type === 'text' && part.text.trim() !== ''),
  );
  if (says) return reply;
  const only = content.some((part) => part.type === 'reasoning' && part.text !== '')
    ? 'nothing but reasoning'
    : 'nothing';
  throw modelFailure('Model.EmptyReply', `the reply has ${only} in it`, {
    maxAttempts: MAX_ATTEMPTS,
    retryAfterMs: 0,
    usage: reply.usage ?? 'unknown',
  });
}
