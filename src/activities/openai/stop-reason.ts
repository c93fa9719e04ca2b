import type { StopReason } from '../../shared/messages.js';

/**
 * What the model meant, from the wire's finish reason. Whether there are calls counts for more than the word:
 * gateways say `stop` or words of their own for replies with calls, and `tool_calls` for replies without.
 */
export function toStopReason(finish: string | null, hasCalls: boolean): StopReason {
  if (finish === 'length' || finish === 'max_tokens') return 'max_tokens';
  if (finish === 'content_filter' || finish === 'refusal') return 'refusal';
  return hasCalls ? 'tool_use' : 'end_turn';
}
