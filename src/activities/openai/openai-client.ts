import type { OpenAI } from 'openai';
import { APIError } from 'openai/core/error';
import { innerError } from './classify-error.js';

export type Access = { apiKey: string; baseURL?: string; headers?: Record<string, string> };

/** The SDK wants a key, also for servers that need none. */
const NO_KEY = 'no-key-needed';

/** Above every timeout of ours, as Node's timers go. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const clients = new Map<string, Promise<OpenAI>>();

/** The SDK's client, one for each access; making one takes a tenth of a short call's time. */
export async function openAiClient(access: Access): Promise<OpenAI> {
  const key = JSON.stringify(access);
  const client = clients.get(key) ?? newClient(access);
  clients.set(key, client);
  return await client;
}

/** The package is loaded here, as that takes a worker a good part of its start-up time. */
async function newClient(access: Access): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  class Client extends OpenAI {
    /** The SDK drops error bodies that don't have their text under `error`. */
    protected override makeStatusError(
      status: number,
      body: object,
      text: string | undefined,
      headers: Headers,
    ): APIError {
      return APIError.generate(status, body && { error: innerError(body) }, text, headers);
    }
  }
  return new Client({
    apiKey: access.apiKey || NO_KEY,
    baseURL: access.baseURL ?? null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: 'off',
    ...(access.headers && { defaultHeaders: access.headers }),
  });
}
