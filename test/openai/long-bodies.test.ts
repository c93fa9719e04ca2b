import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { toChatMessages } from '../../src/activities/openai-chat/to-chat-messages.js';
import { toInputItems } from '../../src/activities/openai-responses/to-input-items.js';
import type { Message } from '../../src/shared/messages.js';
import { failureOf, question, requestOf } from '../openai-chat/call-served.js';
import { contextWith, ended, item } from '../openai-responses/call-responses.js';

const MB = 1024 * 1024;

/** A turn that has had so many rounds. */
function transcript(rounds: number, characters = 4000): Message[] {
  const messages: Message[] = [question];
  for (let round = 0; round < rounds; round++) {
    const callId = `call_${round}`;
    const text = `Ünï ${round} `.padEnd(characters, '🙂z');
    messages.push(
      {
        ...{ role: 'assistant', id: `a${round}` },
        content: [{ type: 'tool_call', id: callId, name: 'read', arguments: `{"page":${round}}` }],
      },
      {
        ...{ role: 'tool', id: `t${round}` },
        content: [
          {
            ...{ type: 'tool_result', callId, name: 'read', status: 'ok' },
            content: [{ type: 'text', id: `t${round}.0`, text }],
          },
        ],
      },
    );
  }
  return messages;
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

type Arrived = { method: string | undefined; length: string | undefined; chunked: boolean; body: Buffer };

const said = { role: 'assistant', content: 'Here.' };
const answers = {
  chat: { choices: [{ index: 0, message: said, finish_reason: 'stop' }] },
  responses: ended('completed', [item.text('Here.')]).response,
};
type Api = keyof typeof answers;

/** Answers below `/v1` as a model, after it has sent the client there from anywhere else. */
async function serveModel(api: Api): Promise<{ url: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const url = await serve(async (request, response) => {
    const { method, headers } = request;
    const chunked = headers['transfer-encoding'] !== undefined;
    arrived.push({ method, length: headers['content-length'], chunked, body: await buffer(request) });
    if (!request.url?.startsWith('/v1/')) {
      response.writeHead(307, { location: request.url?.replace('/old/', '/v1/') }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[api]));
  });
  return { url, arrived };
}

const wire = {
  chat: (body: Buffer, messages: readonly Message[]) => [
    JSON.parse(body.toString()).messages,
    toChatMessages('Be brief.', messages),
  ],
  responses: (body: Buffer, messages: readonly Message[]) => [
    JSON.parse(body.toString()).input,
    toInputItems(messages, ''),
  ],
};

describe('a request', () => {
  it.each(['chat', 'responses'] as const)(
    'arrives whole at a %s server, which is told its length',
    async (api) => {
      const { url, arrived } = await serveModel(api);
      const model = openai({ api, baseURL: url, stream: false });
      const messages = transcript(300);
      for (const rounds of [1, 45, 120, 121, 300]) {
        const sent = messages.slice(0, 1 + 2 * rounds);
        await model.call(requestOf(sent), contextWith());
        const { body, length, chunked } = arrived.at(-1) as Arrived;
        expect({ length, chunked }).toEqual({ length: String(body.length), chunked: false });
        const [came, expected] = wire[api](body, sent);
        expect(came).toEqual(expected);
      }
      expect(arrived.at(-1)?.body.length).toBeGreaterThan(MB);
    },
  );

  it.each([
    ['short', 1],
    ['long', 300],
  ])('goes once more to where a redirect says, a %s one', async (_name, rounds) => {
    const { url, arrived } = await serveModel('chat');
    const model = openai({ baseURL: url.replace('/v1', '/old'), stream: false });
    const { content } = await model.call(requestOf(transcript(rounds)), contextWith());
    expect(content).toMatchObject([{ text: 'Here.' }]);
    const [first, second] = arrived;
    expect(second).toMatchObject({ method: 'POST', length: String(first?.body.length), chunked: false });
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it('is refused in the words of a server that does not wait for its end', async () => {
    const url = await serve((request, response) => {
      const error = { message: 'Too long for us.' };
      response.writeHead(413, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      request.resume();
    });
    const call = openai({ baseURL: url }).call(requestOf(transcript(300)), contextWith());
    expect(await failureOf(call)).toMatchObject({ message: expect.stringContaining('Too long for us.') });
  });

  it('is sent no further once it is aborted', async () => {
    const abort = new AbortController();
    let bytes = 0;
    let broke: Promise<unknown> | undefined;
    const url = await serve((request) => {
      broke = once(request, 'end').catch((error: unknown) => error);
      request.once('data', (first: Buffer) => {
        bytes = first.length;
        request.pause();
        request.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        abort.abort(new Error('enough'));
        void call.finally(() => request.resume());
      });
    });
    const context = contextWith({ signal: abort.signal });
    const call = openai({ baseURL: url })
      .call(requestOf(transcript(30, 600_000)), context)
      .catch((error: unknown) => error);
    expect(await call).toMatchObject({ message: 'enough' });
    expect(await broke).toMatchObject({ code: 'ECONNRESET' });
    // What the sockets held by then still came, of 30 MB.
    expect(bytes).toBeLessThan(20 * MB);
  });

  it('is not copied, be it long, on its way to the socket', async () => {
    const program = new Worker(new URL('./counting-server.mjs', import.meta.url));
    onTestFinished(async () => void (await program.terminate()));
    const [url] = await once(program, 'message');
    const model = openai({ baseURL: String(url), stream: false });
    const messages = transcript(1500);
    const ask = () => model.call(requestOf(messages), contextWith());
    await ask();
    const before = process.memoryUsage().arrayBuffers;
    const { content } = await ask();
    const after = process.memoryUsage().arrayBuffers;
    const [block] = content;
    expect(block?.type === 'text' && Number(block.text)).toBeGreaterThan(9 * MB);
    expect(after - before).toBeLessThan(3 * MB);
  });
});
