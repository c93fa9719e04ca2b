import type { PlannedCall } from './activities.js';
import type { NewEvent } from './events.js';

const NOTHING = { input: null, summary: '', permission: undefined };

/** What a watcher is told where a planned call waits for a person. */
export function requestEvent(call: PlannedCall): NewEvent[] {
  const { callId, name } = call;
  if (call.do === 'question') {
    const { question, choices } = call;
    return [{ type: 'question_asked', callId, name, question, ...(choices && { choices }) }];
  }
  if (call.do === 'final' || call.do === 'sleep') return [];
  const { input, summary, permission } = call.do === 'run' ? call : (call.asks ?? NOTHING);
  if (permission?.policy !== 'ask') return [];
  const { why, always } = permission;
  return [{ type: 'approval_requested', callId, name, summary, input, why, always }];
}
