import { AgentClient } from '../../client/agent-client.js';
import { findServer } from '../../server/embedded.js';
import { SESSIONS } from '../sessions/find-session.js';
import { listIds, TURNS } from '../turns/list-turns.js';
import type { Word } from './completions.js';

const MOST = 50;

/** The ids of the latest turns, or sessions, that begin so. */
export async function idWords(kind: 'turns' | 'sessions', prefix: string): Promise<Word[]> {
  const server = await findServer();
  if (!server) return [];
  const { address, namespace } = server;
  // Ids are never encrypted.
  const { client } = await AgentClient.connect({ address, namespace, codec: {} });
  const query = kind === 'turns' ? TURNS : SESSIONS;
  const ids = await listIds(client, query, { prefix, limit: MOST });
  return ids.map((word) => ({ word, description: '' }));
}
