import { readFile } from 'node:fs/promises';
import type { AgentClient } from '../../src/client.js';

export async function ask(client: AgentClient, path: string, taskQueue: string) {
  const data = await readFile(path, 'base64');
  const prompt = [
    { type: 'text', text: 'What does this chart say?' },
    { type: 'image', mediaType: 'image/png', data },
  ] as const;
  const modelOptions = { reasoningEffort: 'low', maxOutputTokens: 2000 };
  return await client.start('helper', prompt, { taskQueue, modelOptions });
}
