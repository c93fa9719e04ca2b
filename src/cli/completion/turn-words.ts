import { AgentClient } from '../../client/agent-client.js';
import { findServer } from '../../server/embedded.js';
import { listTurnIds } from '../turns/list-turns.js';
import type { Word } from './completions.js';

const MOST = 50;

/** The ids of the latest turns that begin so. */
export async function turnWords(prefix: string): Promise<Word[]> {
  const server = await findServer();
  if (!server) return [];
  const { address, namespace } = server;
  // Ids are never encrypted.
  const { client } = await AgentClient.connect({ address, namespace, codec: {} });
  const ids = await listTurnIds(client, prefix, MOST);
  return ids.map((word) => ({ word, description: '' }));
}
