import type { SessionInput } from '../shared/session.js';
import type { SendRequest } from '../shared/session-requests.js';

/** What a session is begun with; of one that exists nothing changes. */
export type SessionOptions = Pick<
  SessionInput,
  'title' | 'metadata' | 'keepTranscript' | 'limits' | 'messagesPerRun'
> & {
  taskQueue?: string;
};

export type SendOptions = Omit<SendRequest, 'v' | 'agent' | 'prompt' | 'attachments'>;
