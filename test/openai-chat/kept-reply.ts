import type { AssistantMessage, Message } from '../../src/shared/messages.js';
import type { ModelResponse } from '../../src/shared/model-port.js';

/** The reply as the plan would keep it, and as it is after it was stored: JSON. */
export function kept(response: ModelResponse, id: string): AssistantMessage {
  const content = response.content.map((part, at) => ({
    ...part,
    id: part.type === 'tool_call' ? part.id : `${id}.${at}`,
  }));
  return JSON.parse(JSON.stringify({ role: 'assistant', id, content }));
}

/** The result of a call of `look`. */
export function answeredBy(callId: string): Message {
  const content = [{ type: 'text' as const, id: 't', text: 'seen' }];
  return {
    role: 'tool',
    id: 'm2',
    content: [{ type: 'tool_result', callId, name: 'look', status: 'ok', content }],
  };
}
