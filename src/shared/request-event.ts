import type { PlannedCall } from './activities.js';
import type { NewEvent } from './events.js';

/** What a watcher is told where a planned call waits for a person. */
export function requestEvent(call: PlannedCall): NewEvent[] {
  const { callId, name } = call;
  if (call.do === 'question') {
    const { question, choices } = call;
    return [{ type: 'question_asked', callId, name, question, ...(choices && { choices }) }];
  }
  if (call.do !== 'run' || call.permission?.policy !== 'ask') return [];
  const { input, summary, permission } = call;
  const { why, always } = permission;
  return [{ type: 'approval_requested', callId, name, summary, input, why, always }];
}
