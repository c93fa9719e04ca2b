import { setTimeout } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import { ModelError } from '../../shared/model-port.js';
import type { ApiCall } from '../openai/api-call.js';
import { classifyError } from '../openai/classify-error.js';
import { refuseEmpty } from '../openai/empty-reply.js';
import { exchange } from '../openai/exchange.js';
import { modelFailure } from '../openai/model-failure.js';
import { openAiClient } from '../openai/openai-client.js';
import { originOf } from '../openai/origin.js';
import type { ReplyAccumulator, WireReply } from '../openai/read-reply.js';
import { responsesBody } from './responses-body.js';
import { responsesReply } from './responses-reply.js';

const FIRST_POLL_MS = 500;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 10_000;

/** How long an abort waits for the id of what is being begun, and for the provider to hear of it: together, not long. */
const GRACE_MS = 800;

type Background = { id: string; response: JsonObject };

/**
 * One reply that the provider makes by itself. Its id is remembered before it is waited for, so that the next try of
 * this call, on whatever worker, goes on waiting for the same reply: a poll that fails is retried by Temporal. An
 * abort ends it at the provider, unless another try goes on with it.
 */
export async function callInBackground(call: ApiCall): Promise<WireReply> {
  const { signal, resume } = call.context;
  let id = resume?.get();
  try {
    const begun = (id === undefined ? undefined : await retrieve(call, id)) ?? (await create(call));
    if (begun.id !== id) await remember(call, begun.id);
    id = begun.id;
    signal.throwIfAborted();
    const { response } = await ended(call, begun);
    return await replyOf(call, response);
  } catch (error) {
    if (signal.aborted && id !== undefined && !resume?.goesOn()) await cancel(call, id);
    throw error;
  }
}

/** What can't be remembered must not run on: the next try would begin another. */
async function remember(call: ApiCall, id: string): Promise<void> {
  try {
    await call.context.resume?.set(id);
  } catch (error) {
    await cancel(call, id);
    throw error;
  }
}

async function ended(call: ApiCall, begun: Background): Promise<Background> {
  const { signal, resume } = call.context;
  let latest = begun;
  for (
    let wait = FIRST_POLL_MS;
    isRunning(latest.response);
    wait = Math.min(wait * POLL_GROWTH, LONGEST_POLL_MS)
  ) {
    await setTimeout(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    const next = await retrieve(call, begun.id);
    if (next === undefined) {
      await resume?.set('');
      throw modelFailure('Model.Unavailable', `the provider has lost the response ${begun.id}`);
    }
    latest = next;
  }
  return latest;
}

/** One that failed is forgotten, so that the next try begins anew. */
async function replyOf({ access, context }: ApiCall, response: JsonObject): Promise<WireReply> {
  const reply = responsesReply(originOf(access), context.onText);
  try {
    reply.add(response);
    return refuseEmpty(reply.end(false), context.attempt);
  } catch (error) {
    await context.resume?.set('');
    const failure = classifyError(error, access.apiKey);
    failure.usage ??= reply.usage?.() ?? 'unknown';
    throw failure;
  }
}

function isRunning({ status }: JsonObject): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** An abort waits a moment for the id: without it, what has begun could neither be ended nor be gone on with. */
async function create(call: ApiCall): Promise<Background> {
  const { request, access, options, context } = call;
  const body = responsesBody(request, access, options);
  const late = new AbortController();
  const onAbort = () => {
    void setTimeout(GRACE_MS, undefined, { ref: false }).then(() => late.abort(context.signal.reason));
  };
  context.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const inTime = { ...call, context: { ...context, signal: late.signal } };
    return await ask(inTime, (client, signal) => client.responses.create(body, { signal }).asResponse());
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
async function cancel({ access }: ApiCall, id: string): Promise<void> {
  try {
    const client = await openAiClient(access);
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
      const id = response?.['id'];
      if (response === undefined || typeof id !== 'string' || id === '') {
        throw modelFailure('Model.BadResponse', 'a background response without an id');
      }
      return { id, response };
    },
  };
}
