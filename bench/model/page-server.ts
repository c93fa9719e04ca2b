// The model of long turns, in a process of its own. A late request of an uncapped turn takes 20 MB: this looks at both
// ends of it, keeps nothing and answers at once. Argument: `hash` tells, of each request, what its body hashes to.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Hold, PageRequest } from './page-model.js';
import { TOOL_NAME } from './task.js';

const HEAD_BYTES = 2048;
/** Holds the last result, and the tools that come after it. */
const TAIL_BYTES = 16_384;
/** Above the pauses of a killed worker. */
const KEEP_ALIVE_MS = 60_000;

const hashes = process.argv[2] === 'hash';

let hold: Hold | undefined;
process.on('message', (told: Hold) => {
  hold = told;
});

type Ends = { head: string; tail: string; bytes: number; hash?: string };

async function readEnds(request: IncomingMessage): Promise<Ends> {
  const hash = hashes ? createHash('sha1') : undefined;
  const last: Buffer[] = [];
  let head = '';
  let bytes = 0;
  let held = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (head.length < HEAD_BYTES) head += chunk.toString('latin1', 0, HEAD_BYTES);
    bytes += chunk.length;
    held += chunk.length;
    last.push(chunk);
    for (const first of last.slice(0, -1)) {
      if (held - first.length < TAIL_BYTES) break;
      held -= first.length;
      last.shift();
    }
    hash?.update(chunk);
  }
  const tail = Buffer.concat(last).toString('latin1');
  return { head, tail, bytes, ...(hash && { hash: hash.digest('hex') }) };
}

/** How many pages the turn has read, and how many it is to read. */
function progressIn({ head, tail }: Ends): { page: number; pages: number } {
  const pages = /Read (\d+) pages/.exec(head)?.[1];
  if (pages === undefined) throw new Error('The request does not begin with the prompt.');
  const read = [...tail.matchAll(/"content":"Page (\d+)\. /g)].at(-1)?.[1];
  return { page: Number(read ?? 0), pages: Number(pages) };
}

function completion({ page, pages }: { page: number; pages: number }, bytes: number): object {
  const call = {
    id: `call_${page + 1}`,
    type: 'function',
    function: { name: TOOL_NAME, arguments: JSON.stringify({ page: page + 1 }) },
  };
  const goesOn = page < pages;
  const message = goesOn ? { content: null, tool_calls: [call] } : { content: 'I have read it all.' };
  return {
    ...{ id: `page-${page}`, object: 'chat.completion', created: 0, model: 'scripted' },
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message },
        finish_reason: goesOn ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: Math.ceil(bytes / 4), completion_tokens: 10, total_tokens: 0 },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = Date.now();
  const ends = await readEnds(request);
  const progress = progressIn(ends);
  const { bytes, hash } = ends;
  process.send?.({ at, bytes, page: progress.page, ...(hash && { hash }) } satisfies PageRequest);
  if (hold?.page === progress.page) await setTimeout(hold.ms);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(completion(progress, bytes)));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    if (response.destroyed) return;
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
  });
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(`http://127.0.0.1:${port}/v1`);
});
process.on('disconnect', () => process.exit(0));
