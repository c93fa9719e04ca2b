// A model in a thread of its own, so that what it reads is in nobody's memory figures. It answers with how many bytes came.
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

const server = createServer(async (request, response) => {
  let bytes = 0;
  for await (const chunk of request) bytes += chunk.length;
  const choices = [
    { index: 0, message: { role: 'assistant', content: String(bytes) }, finish_reason: 'stop' },
  ];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
});
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage(`http://127.0.0.1:${server.address().port}/v1`);
});
