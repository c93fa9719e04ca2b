import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ModelError } from '../shared/model-port.js';
import type { Client } from './answer-client.js';
import type { ChatRequest } from './chat-request.js';
import { completionsEndpoint, errorBody, type Received, responsesEndpoint } from './endpoints.js';
import type { ResponsesRequest } from './responses-request.js';
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

/** A request of the Responses API. */
export type ReceivedResponsesRequest = Omit<ReceivedRequest, 'body'> & { body: ResponsesRequest };

export type ServedModel = {
  /** The base URL, which ends in `/v1`. */
  url: string;
  /** The requests of Chat Completions that were not refused, in order. */
  requests: ReceivedRequest[];
  /** Those of the Responses API. */
  responses: ReceivedResponsesRequest[];
  /** The ids of the background responses that were cancelled. */
  cancelled: string[];
  /** Why requests were refused. */
  refusals: string[];
  /** Breaks what is open, and resolves when the port is free. */
  close(): Promise<void>;
};

/**
 * The scripted model behind a real HTTP server on 127.0.0.1 that speaks Chat Completions and the Responses API,
 * as a stream or not. Two requests with the same messages are tries of the same model call.
 */
export async function serveScriptedModel(script: Script, options: ServeOptions = {}): Promise<ServedModel> {
  const { model = 'scripted' } = options;
  const received: Received = { requests: [], responses: [], cancelled: [], refusals: [] };
  const completions = completionsEndpoint(script, options, received);
  const responses = responsesEndpoint(script, options, received);

  async function route(request: IncomingMessage, client: Client): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (request.method === 'POST' && path === '/v1/chat/completions') return completions(request, client);
    if (path === '/v1/responses' || path.startsWith('/v1/responses/'))
      return responses(request, client, path);
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
