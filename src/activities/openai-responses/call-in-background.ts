import { setTimeout } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import { ModelError } from '../../shared/model-port.js';
import type { ApiCall } from '../openai/api-call.js';
import { classifyError } from '../openai/classify-error.js';
import { refuseEmpty } from '../openai/empty-reply.js';
import { exchange } from '../openai/exchange.js';
import { modelFailure } from '../openai/model-failure.js';
import { type Access, openAiClient } from '../openai/openai-client.js';
import { placeOf } from '../openai/origin.js';
import { postBody } from '../openai/post-body.js';
import type { ReplyAccumulator, WireReply } from '../openai/read-reply.js';
import { sendWithReasoning } from '../openai/reasoning-refusals.js';
import { usageOfFailure } from '../openai/usage.js';
import { responsesBody } from './responses-body.js';
import { responsesReply } from './responses-reply.js';

const FIRST_POLL_MS = 500;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 10_000;
/** A provider that can't be asked for so long uses up a try of the call, of which there are ten. */
const OUTAGE_MS = 300_000;
/** A response that has just begun may take a moment to be known everywhere. */
const UNKNOWN_POLLS = 4;

/** How long an abort waits for the id of what is being begun, and for the provider to hear of it: together, not long. */
const GRACE_MS = 800;

type Background = { id: string; response: JsonObject };

/**
 * One reply that the provider makes by itself. Its id is remembered before it is waited for, so that the next try of
 * this call, on whatever worker, goes on waiting for the same reply. A poll that fails is made again, here. An abort
 * ends it at the provider, unless another try goes on with it; so does a fault after which there is no other try.
 */
export async function callInBackground(call: ApiCall): Promise<WireReply> {
  const { signal, resume } = call.context;
  let id = resume?.get();
  try {
    const found = id === undefined ? undefined : await poll(call, id);
    if (id !== undefined && found === undefined) call.context.onSpent?.('unknown');
    const begun = found ?? (await create(call));
    if (begun.id !== id && isRunning(begun.response)) await remember(call, begun.id);
    id = begun.id;
    signal.throwIfAborted();
    const response = await ended(call, begun, found !== undefined);
    id = undefined;
    return await replyOf(call, response);
  } catch (error) {
    const isLeft = signal.aborted ? !resume?.goesOn() : error instanceof ModelError && !error.retryable;
    if (isLeft && id !== undefined) await cancelInBackground(() => call.access, id);
    throw error;
  }
}

/** What can't be remembered must not run on: the next try would begin another. */
async function remember(call: ApiCall, id: string): Promise<void> {
  try {
    await call.context.resume?.set(id);
  } catch (error) {
    await cancelInBackground(() => call.access, id);
    throw error;
  }
}

async function ended(call: ApiCall, { id, response }: Background, wasFound: boolean): Promise<JsonObject> {
  const { signal } = call.context;
  let latest = response;
  let isKnown = wasFound;
  let unknown = 0;
  for (let wait = FIRST_POLL_MS; isRunning(latest); wait = longer(wait)) {
    await pause(wait, signal);
    const next = await poll(call, id);
    if (next !== undefined) {
      isKnown = true;
      latest = next.response;
    } else if (isKnown || ++unknown >= UNKNOWN_POLLS) {
      await forget(call);
      throw isKnown ? lost(id) : neverKnown(id);
    }
  }
  return latest;
}

function lost(id: string): ModelError {
  return modelFailure('Model.Unavailable', `the provider has lost the response ${id}`, { usage: 'unknown' });
}

function neverKnown(id: string): ModelError {
  return modelFailure('Model.Misconfigured', `GET /responses/${id} is answered by "not found"`, {
    usage: 'unknown',
    advice:
      'The server takes background responses, and can not be asked for them. Leave out `background`, or use a server that has GET /responses/{id}.',
  });
}

/** Undefined where the provider doesn't know it. A failed poll says nothing of the reply, which goes on: no fault of it. */
async function poll(call: ApiCall, id: string): Promise<Background | undefined> {
  const { signal } = call.context;
  const since = Date.now();
  for (let wait = FIRST_POLL_MS; ; wait = longer(wait)) {
    try {
      return await retrieve(call, id);
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError)) throw error;
      error.usage = error.retryable ? undefined : 'unknown';
      if (!error.retryable || Date.now() - since >= OUTAGE_MS) throw error;
      await pause(Math.min(Math.max(wait, error.retryAfterMs ?? 0), OUTAGE_MS), signal);
    }
  }
}

function longer(wait: number): number {
  return Math.min(wait * POLL_GROWTH, LONGEST_POLL_MS);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

async function forget({ context }: ApiCall): Promise<void> {
  await context.resume?.set('').catch(() => undefined);
}

/** One that failed is forgotten, so that the next try begins anew. */
async function replyOf(call: ApiCall, response: JsonObject): Promise<WireReply> {
  const { access, request, context } = call;
  const reply = responsesReply(placeOf(access, request).origin, context.onText);
  try {
    reply.add(response);
    return refuseEmpty(reply.end(false), context);
  } catch (error) {
    await forget(call);
    const failure = classifyError(error, access.apiKey);
    failure.usage ??= usageOfFailure(reply.usage?.()) ?? 'unknown';
    throw failure;
  }
}

function isRunning({ status }: JsonObject): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** An abort waits a moment for the id: without it, what has begun could neither be ended nor be gone on with. */
async function create(call: ApiCall): Promise<Background> {
  const { request, access, options, context } = call;
  const place = placeOf(access, request);
  const asked = { place, messages: request.messages, canGiveMore: false };
  const late = new AbortController();
  const onAbort = () => {
    void setTimeout(GRACE_MS, undefined, { ref: false }).then(() => late.abort(context.signal.reason));
  };
  context.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const inTime = { ...call, context: { ...context, signal: late.signal } };
    return await ask(inTime, (client, signal) =>
      sendWithReasoning(asked, () =>
        postBody(client, '/responses', responsesBody(request, access, options), signal),
      ),
    );
  } finally {
    context.signal.removeEventListener('abort', onAbort);
  }
}

/** Undefined where the provider doesn't know it, or no longer: it keeps them for minutes. */
async function retrieve(call: ApiCall, id: string): Promise<Background | undefined> {
  try {
    return await ask(call, (client, signal) => client.responses.retrieve(id, {}, { signal }).asResponse());
  } catch (error) {
    if (error instanceof ModelError && error.type === 'Model.NotFound') return undefined;
    throw error;
  }
}

async function ask(
  { access, options, context }: ApiCall,
  send: (client: OpenAI, signal: AbortSignal) => Promise<Response>,
): Promise<Background> {
  return await exchange(context, { access, options, send, reply: background() });
}

/** The provider may be told twice; one that can't be told goes on to its end, and nobody asks for it. */
export async function cancelInBackground(access: () => Access, id: string): Promise<void> {
  try {
    const client = await openAiClient(access());
    await client.responses.cancel(id, { signal: AbortSignal.timeout(GRACE_MS) }).asResponse();
  } catch {
    // An abort is not held up by a provider that fails.
  }
}

/** Takes a response object as it is, whatever its status. */
function background(): ReplyAccumulator<Background> {
  let response: JsonObject | undefined;
  return {
    add(body: Json): void {
      if (isJsonObject(body)) response = body;
    },
    finish: () => undefined,
    phase: () => 'beginning',
    isFinished: () => response !== undefined,
    end() {
      const id = typeof response?.['id'] === 'string' ? response['id'] : '';
      if (response === undefined || (id === '' && isRunning(response))) {
        throw modelFailure('Model.BadResponse', 'a background response without an id');
      }
      return { id, response };
    },
  };
}
