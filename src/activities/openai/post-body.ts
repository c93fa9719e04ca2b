import type { OpenAI } from 'openai';
import { WrittenBlob } from './written-blob.js';
import { writtenBody } from './written-list.js';

const TEXT_BYTES = 256 * 1024;

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
  const pieces = writtenBody(body);
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  // As a text where copying it is nothing: to read a Blob in pieces takes a short call 0.2 ms.
  const written = bytes <= TEXT_BYTES ? Buffer.concat(pieces, bytes).toString() : new WrittenBlob(pieces);
  return await client.post(path, { body: written, headers, signal }).asResponse();
}
