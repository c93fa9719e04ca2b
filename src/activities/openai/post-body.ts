import type { OpenAI } from 'openai';
import { writtenBody } from './written-list.js';

/**
 * Posts a body by the SDK's client, which is given bytes: it would else write a long transcript as one more string.
 * `path` begins with a slash.
 */
export async function postBody(
  client: OpenAI,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await client.post(path, { body: writtenBody(body), headers, signal }).asResponse();
}
