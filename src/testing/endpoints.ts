import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Json } from '../shared/json.js';
import type { ModelRequest } from '../shared/model-port.js';
import { answerClient, type Client, type Pace, type Protocol } from './answer-client.js';
import { backgroundResponses } from './background-responses.js';
import { type ChatRequest, chatRequest, toModelRequest } from './chat-request.js';
import { conversationIndex, type NextAnswer, nextAnswer } from './next-answer.js';
import { chatProtocol, responsesProtocol } from './protocols.js';
import { refuseRequest, refuseText } from './refuse-request.js';
import { refuseResponses } from './refuse-responses.js';
import {
  toModelRequest as fromResponses,
  type ResponsesRequest,
  responsesRequest,
} from './responses-request.js';
import type { Script } from './script.js';
import type { ServedModel, ServeOptions } from './serve-scripted-model.js';

export type Received = Pick<ServedModel, 'requests' | 'responses' | 'cancelled' | 'refusals'>;

type Asked<Body> = { body: Body; answer: NextAnswer };

/** What one API is asked and refuses. */
type Api<Body> = {
  schema: z.ZodType<Body>;
  refuse(body: Body): string | undefined;
  toModelRequest(body: Body): ModelRequest;
  /** What is the same in each try of one model call. */
  keyOf(body: Body): unknown;
  requests: { index: number; attempt: number; headers: IncomingMessage['headers']; body: Body }[];
};

export function completionsEndpoint(script: Script, options: ServeOptions, received: Received) {
  const read = reader<ChatRequest>(script, options, received, {
    schema: chatRequest,
    refuse: refuseRequest,
    toModelRequest,
    keyOf: (body) => body.messages,
    requests: received.requests,
  });

  return async (request: IncomingMessage, client: Client): Promise<void> => {
    const asked = await read(request, client);
    if (asked) await answer(client, chatProtocol(asked.body), asked, options);
  };
}

export function responsesEndpoint(script: Script, options: ServeOptions, received: Received) {
  const background = backgroundResponses(received.cancelled);
  const read = reader<ResponsesRequest>(script, options, received, {
    schema: responsesRequest,
    refuse: refuseResponses,
    toModelRequest: fromResponses,
    keyOf: (body) => body.input,
    requests: received.responses,
  });

  return async (request: IncomingMessage, client: Client, path: string): Promise<void> => {
    const [, id, action] = /^\/v1\/responses\/([^/]+)(?:\/(cancel))?$/.exec(path) ?? [];
    if (id !== undefined) {
      const found = action === 'cancel' ? background.cancel(id) : background.get(id);
      if (found) return client.sendJson(200, found);
      return client.sendJson(404, errorBody(`Response with id '${id}' not found.`, 'invalid_request_error'));
    }
    const asked = await read(request, client);
    if (!asked) return;
    const response = asked.body.background ? background.create(asked.body.model, asked.answer) : undefined;
    if (response) return client.sendJson(200, response);
    await answer(client, responsesProtocol(asked.body), asked, options);
  };
}

async function answer(
  client: Client,
  protocol: Protocol,
  asked: Asked<unknown>,
  { pieceChars = 8, pieceDelayMs = 0 }: ServeOptions,
): Promise<void> {
  const pace: Pace = { pieceChars, pieceDelayMs };
  await answerClient(client, protocol, asked.answer, pace);
}

/** Reads a request and finds the script's answer to it; undefined where it was refused. */
function reader<Body>(script: Script, { strict = true }: ServeOptions, received: Received, api: Api<Body>) {
  const tries = new Map<string, number>();

  return async (request: IncomingMessage, client: Client): Promise<Asked<Body> | undefined> => {
    const bytes = await buffer(request);
    const textProblem = refuseText(bytes);
    if (textProblem !== undefined) return refuse(client, textProblem);
    const parsed = api.schema.safeParse(JSON.parse(bytes.toString('utf8')));
    if (!parsed.success) return refuse(client, parsed.error.issues.map(issueText).join('; '));
    const body = parsed.data;
    const problem = strict ? api.refuse(body) : undefined;
    if (problem !== undefined) return refuse(client, problem);

    const asked = api.toModelRequest(body);
    const key = createHash('sha256')
      .update(JSON.stringify(api.keyOf(body)))
      .digest('hex');
    const attempt = (tries.get(key) ?? 0) + 1;
    tries.set(key, attempt);
    api.requests.push({ index: conversationIndex(asked), attempt, headers: request.headers, body });
    return { body, answer: await nextAnswer(script, asked, attempt) };
  };

  function refuse(client: Client, problem: string): undefined {
    received.refusals.push(problem);
    client.sendJson(400, errorBody(problem, 'invalid_request_error'));
  }
}

export function errorBody(message: string, type: string): Json {
  return { error: { message, type, param: null, code: null } };
}

function issueText(issue: { path: PropertyKey[]; message: string }): string {
  return `${issue.path.map(String).join('.')}: ${issue.message}`;
}
