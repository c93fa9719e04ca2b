import type { Message } from 'holdfast/client';
import { toChatMessages } from '../../dist/activities/openai-chat/to-chat-messages.js';
import { transcriptProblems } from '../../dist/shared/transcript.js';
import { chatRequest } from '../../dist/testing/chat-request.js';
import { refuseRequest } from '../../dist/testing/refuse-request.js';

type Conversation = { turnId: string; messages: readonly Message[] };

/** Why the strict provider would refuse the next turn of this conversation; undefined where it would not. */
export function refusalOf({ turnId, messages }: Conversation): string | undefined {
  const [problem] = transcriptProblems(messages);
  if (problem) return `${turnId}: ${problem.kind} of ${problem.callId}`;
  const next = {
    role: 'user' as const,
    id: 'next',
    content: [{ type: 'text' as const, id: 'next.0', text: 'Go on.' }],
  };
  const body = { model: 'scripted', messages: toChatMessages('', [...messages, next]) };
  const parsed = chatRequest.safeParse(body);
  const why = parsed.success ? refuseRequest(parsed.data) : parsed.error.message;
  return why === undefined ? undefined : `${turnId}: ${why}`;
}
