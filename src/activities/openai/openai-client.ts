import type { OpenAI } from 'openai';
import type { APIError } from 'openai/core/error';
import { providerError } from './classify-error.js';
import { patientFetch } from './node-fetch.js';

export type Access = { apiKey: string; baseURL?: string; headers?: Record<string, string> };

/** The SDK wants a key, also for servers that need none. */
const NO_KEY = 'no-key-needed';

/** Above every timeout of ours, as Node's timers go. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Keys that change by the hour must not pile up. */
const MAX_CLIENTS = 100;

const clients = new Map<string, Promise<OpenAI>>();

/** The SDK's client, one for each access; making one takes a tenth of a short call's time. */
export async function openAiClient(access: Access): Promise<OpenAI> {
  const key = JSON.stringify(access);
  const client = clients.get(key) ?? newClient(access);
  clients.delete(key);
  clients.set(key, client);
  const [oldest] = clients.keys();
  if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest);
  try {
    return await client;
  } catch (error) {
    // The next call tries anew.
    if (clients.get(key) === client) clients.delete(key);
    throw error;
  }
}

/** The package's client, loaded when it is first wanted: that takes a worker a good part of its start-up time. */
export async function loadSdk(): Promise<typeof import('openai')['OpenAI']> {
  const { OpenAI } = await import('openai');
  return OpenAI;
}

async function newClient(access: Access): Promise<OpenAI> {
  const OpenAI = await loadSdk();
  class Client extends OpenAI {
    /** The SDK drops error bodies that don't have their text under `error`. */
    protected override makeStatusError(
      status: number,
      body: object,
      text: string | undefined,
      headers: Headers,
    ): APIError {
      return providerError(status, body, text, headers);
    }
  }
  return new Client({
    apiKey: access.apiKey || NO_KEY,
    baseURL: access.baseURL ?? null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: 'off',
    fetch: patientFetch,
    ...(access.headers && { defaultHeaders: access.headers }),
  });
}
