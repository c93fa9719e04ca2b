import { accessOf, isOpenAi } from '../../activities/openai/access.js';
import type { Access } from '../../activities/openai/openai-client.js';
import type { OpenAiOptions } from '../../activities/openai/options.js';
import { withoutSecrets } from '../../activities/openai/secrets.js';
import { UsageError } from '../usage-error.js';

export type EndpointOptions = {
  model?: string;
  baseUrl?: string;
  api: 'chat' | 'responses';
  timeoutMs: number;
};

/** What is checked. */
export type Endpoint = {
  /** Without a `/` at its end. */
  url: string;
  isOpenAi: boolean;
  key: string;
  model: string | undefined;
  options: OpenAiOptions;
  /** Of each request, from its start to the reply's end. */
  timeoutMs: number;
};

const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_MODEL = 'gpt-5.5';

/** Throws `Model.Misconfigured` or a UsageError for a key or an address that can't be one. */
export function endpointOf(
  { model, baseUrl, api, timeoutMs }: EndpointOptions,
  env: NodeJS.ProcessEnv,
): Endpoint {
  const options: OpenAiOptions = { api, ...(baseUrl !== undefined && { baseURL: baseUrl }) };
  const access: Access = accessOf(options);
  const { origin, pathname, username, password } = new URL(access.baseURL ?? OPENAI_URL);
  if (username !== '' || password !== '') {
    throw new UsageError(
      'OPENAI_BASE_URL has a user or a password in it, which no request can carry. Set a key as OPENAI_API_KEY.',
    );
  }
  return {
    url: `${origin}${pathname}`.replace(/\/+$/, ''),
    isOpenAi: isOpenAi(access.baseURL),
    key: access.apiKey,
    model: model || env['OPENAI_MODEL'] || (access.baseURL ? undefined : OPENAI_MODEL),
    ...{ options, timeoutMs },
  };
}

/** The key is never shown, whoever repeats it. */
export function withoutKey(text: string, key: string): string {
  return withoutSecrets(text, key);
}
