import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Json } from '../shared/json.js';
import { ModelError } from '../shared/model-port.js';
import { answerClient, type Client } from './answer-client.js';
import { type ChatRequest, chatRequest, toModelRequest } from './chat-request.js';
import { conversationIndex, nextAnswer } from './next-answer.js';
import { refuseRequest, refuseText } from './refuse-request.js';
import type { Script } from './script.js';

export type ServeOptions = {
  /** Refuse, with 400, what real providers refuse. Default true. */
  strict?: boolean;
  /** How much text is in one chunk; default 8 characters. */
  pieceChars?: number;
  /** Between two chunks; default 0. */
  pieceDelayMs?: number;
  /** The model that GET /v1/models lists; default `scripted`. */
  model?: string;
};

export type ReceivedRequest = {
  /** Which model call of its conversation this is, from 0, and which try of it, from 1. */
  index: number;
  attempt: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: ChatRequest;
};

export type ServedModel = {
  /** The base URL, which ends in `/v1`. */
  url: string;
  /** The requests that were not refused, in order. */
  requests: ReceivedRequest[];
  /** Why requests were refused. */
  refusals: string[];
  /** Breaks what is open, and resolves when the port is free. */
  close(): Promise<void>;
};

/**
 * The scripted model behind a real HTTP server on 127.0.0.1 that speaks Chat Completions, as a stream or not. Two
 * requests with the same messages are tries of the same model call.
 */
export async function serveScriptedModel(script: Script, options: ServeOptions = {}): Promise<ServedModel> {
  const { model = 'scripted' } = options;
  const received: Received = { requests: [], refusals: [] };
  const completions = completionsEndpoint(script, options, received);

  async function route(request: IncomingMessage, client: Client): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (request.method === 'POST' && path === '/v1/chat/completions') return completions(request, client);
    if (request.method === 'GET' && path === '/v1/models') {
      return client.sendJson(200, {
        object: 'list',
        data: [{ id: model, object: 'model', created: 0, owned_by: 'script' }],
      });
    }
    client.sendJson(404, errorBody(`Nothing at ${request.method} ${path}.`, 'not_found_error'));
  }

  const server = createServer((request, response) => {
    const client = clientOf(response);
    route(request, client).catch((error: unknown) => {
      if (client.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      // The end of the script is an error of the one who wrote it, which a retry doesn't help.
      client.sendJson(error instanceof ModelError ? 400 : 500, errorBody(message, 'script_error'));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    ...received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Received = Pick<ServedModel, 'requests' | 'refusals'>;

function completionsEndpoint(script: Script, options: ServeOptions, received: Received) {
  const { strict = true, pieceChars = 8, pieceDelayMs = 0 } = options;
  const tries = new Map<string, number>();

  async function completions(request: IncomingMessage, client: Client): Promise<void> {
    const bytes = await buffer(request);
    const textProblem = refuseText(bytes);
    if (textProblem !== undefined) return refuse(client, textProblem);
    const parsed = chatRequest.safeParse(JSON.parse(bytes.toString('utf8')));
    if (!parsed.success) return refuse(client, parsed.error.issues.map(issueText).join('; '));
    const problem = strict ? refuseRequest(parsed.data) : undefined;
    if (problem !== undefined) return refuse(client, problem);

    const asked = toModelRequest(parsed.data);
    const key = createHash('sha256').update(JSON.stringify(parsed.data.messages)).digest('hex');
    const attempt = (tries.get(key) ?? 0) + 1;
    tries.set(key, attempt);
    received.requests.push({
      index: conversationIndex(asked),
      attempt,
      headers: request.headers,
      body: parsed.data,
    });
    const answer = await nextAnswer(script, asked, attempt);
    await answerClient(client, parsed.data, answer, { pieceChars, pieceDelayMs });
  }

  function refuse(client: Client, problem: string): void {
    received.refusals.push(problem);
    client.sendJson(400, errorBody(problem, 'invalid_request_error'));
  }

  return completions;
}

function clientOf(response: ServerResponse): Client {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return {
    response,
    signal: gone.signal,
    sendJson(status, body, headers = {}) {
      if (response.headersSent) return void response.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    },
  };
}

function errorBody(message: string, type: string): Json {
  return { error: { message, type, param: null, code: null } };
}

function issueText(issue: { path: PropertyKey[]; message: string }): string {
  return `${issue.path.map(String).join('.')}: ${issue.message}`;
}
