// A model that says numbered words at a steady rate, in a process of its own. It tells its parent its URL, and of each
// reply when each word was handed to the connection. Arguments: how many words a reply has, and how many a second.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { wordAt } from './words.js';

const [words = 0, perSecond = 1] = process.argv.slice(2).map(Number);

function send(response: ServerResponse, delta: object, finish: string | null): void {
  const chunk = {
    ...{ id: 'stream', object: 'chat.completion.chunk', created: 0, model: 'scripted' },
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

async function reply(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sentAt: number[] = [];
  const startedAt = performance.now();
  for (let number = 0; number < words; number++) {
    const wait = startedAt + (number * 1000) / perSecond - performance.now();
    if (wait > 0) await setTimeout(wait);
    sentAt.push(performance.timeOrigin + performance.now());
    send(response, { content: wordAt(number) }, null);
  }
  // Else the last words would come with the recorded reply, and not as a stream.
  await setTimeout(500);
  send(response, {}, 'stop');
  response.end('data: [DONE]\n\n');
  process.send?.(sentAt);
}

const server = createServer((request, response) => {
  request.resume().once('end', () => void reply(response));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(`http://127.0.0.1:${port}/v1`);
});
process.on('disconnect', () => process.exit(0));
