import type { ModelContext } from '../../shared/model-port.js';
import { modelFailure } from './model-failure.js';
import type { WireReply } from './read-reply.js';

/** The model is asked once more, and no oftener. */
const MAX_ATTEMPTS = 2;

/**
 * Throws `Model.EmptyReply` for a reply that ended by itself with neither a text nor a call: it would be kept as a
 * message that providers refuse, and the user would see a turn that ends without a word. The first time also for a
 * text whose ending announces calls, of which there are none; the second time the text has to do.
 */
export function refuseEmpty<Reply extends WireReply>(
  reply: Reply,
  { attempt, faultsBefore }: Pick<ModelContext, 'attempt' | 'faultsBefore'>,
): Reply {
  const { content, stopReason, usage = 'unknown' } = reply;
  if (stopReason === 'max_tokens' || stopReason === 'refusal') return reply;
  const asked = 1 + (faultsBefore?.('Model.EmptyReply') ?? attempt - 1);
  const says = content.some(
    (part) => part.type === 'tool_call' || (part.type === 'text' && part.text.trim() !== ''),
  );
  if (says && (!reply.lacksCalls || asked >= MAX_ATTEMPTS)) return reply;
  const thinks = content.some((part) => part.type === 'reasoning' && part.text !== '');
  const problem = says
    ? 'the reply announces tool calls and has none'
    : `the reply has ${thinks ? 'nothing but reasoning' : 'nothing'} in it`;
  throw modelFailure('Model.EmptyReply', problem, { maxAttempts: MAX_ATTEMPTS, retryAfterMs: 0, usage });
}
