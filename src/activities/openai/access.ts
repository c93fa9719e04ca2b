import { ModelError } from '../../shared/model-port.js';
import type { Access } from './openai-client.js';
import type { OpenAiOptions } from './options.js';
import { keepSecret } from './secrets.js';

const ENDPOINT = /\/(?:chat\/completions|completions|responses)\/?$/;

export function modelName(options: OpenAiOptions): string {
  const name = options.model || process.env['OPENAI_MODEL'];
  if (!name)
    throw misconfigured("No model is named. Set OPENAI_MODEL, or give one: openai({ model: '...' }).");
  return name;
}

/** Where and with which key, which no error shows from then on. Throws `Model.Misconfigured` that says which variable is wrong, and what to set. */
export function accessOf(options: OpenAiOptions): Access {
  const baseURL = baseUrlOf(options);
  const apiKey = (options.apiKey || process.env['OPENAI_API_KEY'] || '').trim();
  const { headers } = options;
  if (apiKey !== '' && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw misconfigured('OPENAI_API_KEY has a character that no key has, such as a space. Set it again.');
  }
  if (apiKey === '' && isOpenAi(baseURL)) {
    throw misconfigured(
      'OPENAI_API_KEY is not set. Set it, or set OPENAI_BASE_URL to a server that needs none.',
    );
  }
  const access = { apiKey, ...(baseURL !== '' && { baseURL }), ...(headers && { headers }) };
  keepSecret(access);
  return access;
}

function baseUrlOf(options: OpenAiOptions): string {
  const baseURL = (options.baseURL || process.env['OPENAI_BASE_URL'] || '').trim();
  if (baseURL === '') return baseURL;
  if (!(/^https?:/.test(baseURL) && URL.canParse(baseURL))) {
    throw misconfigured(
      `OPENAI_BASE_URL is no http address: ${shownUrl(baseURL)}. Set one like http://localhost:11434/v1.`,
    );
  }
  const { username, password, pathname } = new URL(baseURL);
  if (username + password !== '') {
    throw misconfigured(
      `OPENAI_BASE_URL has a user or a password in it: ${shownUrl(baseURL)}. Set it without, and the key as OPENAI_API_KEY.`,
    );
  }
  if (ENDPOINT.test(pathname)) {
    throw misconfigured(
      `OPENAI_BASE_URL names one endpoint: ${shownUrl(baseURL)}. Set what comes before it, which usually ends in /v1.`,
    );
  }
  return baseURL;
}

/** What may be printed and recorded of it: people put keys into addresses, and into the wrong variable. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'what is set can not be read as one';
  const { origin, protocol, pathname } = new URL(url);
  return `${origin === 'null' ? protocol : origin}${pathname.slice(0, 100)}`;
}

/** Its regions are below it, as eu.api.openai.com. */
const OPENAI = 'api.openai.com';

/** `baseURL` as in {@link Access}. OpenAI's own server knows fields that others refuse, and the other way round. */
export function isOpenAi(baseURL: string | undefined): boolean {
  if (!baseURL) return true;
  const { hostname } = new URL(baseURL);
  return hostname === OPENAI || hostname.endsWith(`.${OPENAI}`);
}

function misconfigured(text: string): ModelError {
  return new ModelError('Model.Misconfigured', text, { retryable: false });
}
