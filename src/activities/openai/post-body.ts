import type { OpenAI } from 'openai';
import { WrittenBlob } from './written-blob.js';
import { writtenBody } from './written-list.js';

/**
 * Posts a body by the SDK's client, which would else write a long transcript as one more string. `path` begins with a
 * slash.
 */
export async function postBody(
  client: OpenAI,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const written = new WrittenBlob(writtenBody(body));
  return await client.post(path, { body: written, headers, signal }).asResponse();
}
