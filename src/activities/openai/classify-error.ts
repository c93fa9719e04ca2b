import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai/core/error';
import { isJsonObject } from '../../shared/json.js';
import { ModelError } from '../../shared/model-port.js';
import { wireText } from '../../shared/wire-text.js';
import { jsonText, TOO_DEEP } from './deep-json.js';
import { type ProviderFault, typeOfFault } from './failure-kinds.js';
import { MAX_FAILURE_BYTES, modelFailure } from './model-failure.js';
import { retryAfterInText, retryAfterMs } from './retry-after.js';

/**
 * The one place where anything that a provider call throws becomes a {@link ModelError}. Its text says what to do,
 * then what the provider said; at most 2 KB, without `key` and whatever else looks like a key. It has no `cause`: that
 * would carry headers and bodies into Temporal's history. `headers` are those of the answer that the error came in.
 */
export function classifyError(thrown: unknown, key?: string, headers?: Headers): ModelError {
  if (thrown instanceof ModelError) return thrown;
  if (thrown instanceof APIConnectionTimeoutError)
    return modelFailure('Model.Timeout', thrown.message, { key });
  if (thrown instanceof APIConnectionError) {
    return isUnsendable(thrown) ? unsendable(thrown, key) : fromNetwork(thrown, key);
  }
  if (thrown instanceof APIError) return fromProvider(thrown, key, thrown.headers ?? headers);
  if (thrown instanceof SyntaxError) return modelFailure('Model.BadResponse', thrown.message, { key });
  if (isUnsendable(thrown)) return unsendable(thrown, key);
  if (isNetworkError(thrown)) return fromNetwork(thrown, key);
  return modelFailure('Model.Failed', messageOf(thrown), { key });
}

/** An answer that is neither an error nor a reply: a page, half of a body. `body` as it came. */
export function badResponse(body: string, key?: string): ModelError {
  const isPage = HTML.test(body);
  return modelFailure('Model.BadResponse', shortBody(body), {
    key,
    // What answers here is most likely no model at all; a page that only passes by is gone with the second try.
    ...(isPage && { maxAttempts: PAGE_ATTEMPTS, advice: PAGE_ADVICE }),
  });
}

/** More of an error is not looked through. */
const MAX_SAID_CHARACTERS = 64_000;
const HTML = /<(?:!doctype|html|head|body)\b/i;
const PAGE_ATTEMPTS = 2;
const PAGE_ADVICE =
  'A web page answered instead of a model. Is OPENAI_BASE_URL right? It usually ends in /v1.';

/** The part of an error body that says what is wrong: gateways put it under `error`, at the top, or in a list. */
function innerError(body: unknown): object | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(first)) return undefined;
  const inner = first['error'];
  if (isJsonObject(inner)) return inner;
  return typeof inner === 'string' ? { ...first, message: inner } : first;
}

/** An error body as the SDK's error; without a status, one that came in a 200. The SDK writes bodies as JSON. */
export function providerError(
  status: number | undefined,
  body: unknown,
  text?: string,
  headers?: Headers,
): APIError {
  const inner = innerError(body);
  const written = inner === undefined ? '' : jsonText(inner, '');
  const [shown, said] = inner && written === '' ? [undefined, TOO_DEEP] : [inner, text];
  if (status === undefined || headers === undefined) return new APIError(status, shown, said, headers);
  return APIError.generate(status, shown && { error: shown }, said, headers);
}

function fromProvider(thrown: APIError, key: string | undefined, headers: Headers | undefined): ModelError {
  const body: unknown = thrown.error;
  const code = field(body, 'code') ?? thrown.code;
  const fault: ProviderFault = {
    status: thrown.status ?? statusOf(code) ?? statusOf(field(body, 'status')),
    words: [code, field(body, 'type') ?? thrown.type, field(body, 'status')].filter(
      (word) => typeof word === 'string',
    ),
    text: saidBy(thrown).slice(0, MAX_SAID_CHARACTERS),
  };
  const type = typeOfFault(fault);
  const said = fault.status === undefined ? fault.text : `${fault.status}: ${fault.text}`;
  return modelFailure(type, said, {
    key,
    // An error that came inside of a 200 and says nothing we know is more likely the provider's trouble than ours.
    ...(type === 'Model.Failed' && { retryable: true }),
    retryAfterMs: askedWaitMs(headers, fault.text, field(body, 'details')),
  });
}

/** Gemini says it in a list of details. */
function askedWaitMs(headers: Headers | undefined, text: string, details: unknown): number | undefined {
  const now = Date.now();
  const inDetails = details === undefined ? '' : jsonText(details, '');
  return retryAfterMs(headers, now) ?? retryAfterInText(text, now) ?? retryAfterInText(inDetails, now);
}

/** All that the provider said in words, and what one behind it said, where a gateway tells. */
export function saidBy(thrown: APIError): string {
  const body: unknown = thrown.error;
  const message = field(body, 'message') ?? field(body, 'detail');
  if (typeof message === 'string' && message !== '') return `${message}${saidBehind(body)}`;
  return body === undefined ? shortBody(thrown.message) : jsonText(message ?? body, TOO_DEEP);
}

/** OpenRouter says "Provider returned error", and in `metadata` which one returned what. */
function saidBehind(body: unknown): string {
  const metadata = field(body, 'metadata');
  const raw = field(metadata, 'raw');
  if (raw === undefined || raw === '') return '';
  const name = field(metadata, 'provider_name');
  return ` (${typeof name === 'string' ? `${name}: ` : ''}${typeof raw === 'string' ? shortBody(raw) : jsonText(raw, TOO_DEEP)})`;
}

/** Of an HTML page its title, which is all that a person can use. */
function shortBody(body: string): string {
  if (!HTML.test(body)) return body;
  const title = pageTitle(body);
  return title ? `an HTML page, "${title}"` : 'an HTML page';
}

/** Where a page has its title. Patterns that look for an end take the square of what they look through. */
const TITLE_CHARACTERS = 4096;

export function pageTitle(page: string): string | undefined {
  return /<title[^<>]*>([^<]*)/i.exec(page.slice(0, TITLE_CHARACTERS))?.[1]?.trim();
}

function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

function field(body: unknown, name: string): unknown {
  return isJsonObject(body) ? (body[name] ?? undefined) : undefined;
}

/** fetch never tried: a port that it refuses, a header or an address that is none. */
function isUnsendable(thrown: unknown): boolean {
  return causesOf(thrown).some(
    (error) =>
      /^(?:bad port|invalid url|unknown scheme)$/i.test(error.message) || codeOf(error) === 'ERR_INVALID_URL',
  );
}

function unsendable(thrown: unknown, key: string | undefined): ModelError {
  const said = causesOf(thrown).at(-1)?.message ?? '';
  const advice = 'The request can not be sent to this address. Check OPENAI_BASE_URL, its port too.';
  return modelFailure('Model.Misconfigured', said, { key, advice });
}

function fromNetwork(thrown: unknown, key: string | undefined): ModelError {
  const code = networkCode(thrown);
  const type = code !== undefined && /TIMEOUT|TIMEDOUT/.test(code) ? 'Model.Timeout' : 'Model.Connection';
  const root = causesOf(thrown).findLast((error) => error.message !== '');
  return modelFailure(type, [root?.message, code].filter(Boolean).join(', '), { key });
}

/** Whether the connection broke, as Node's fetch tells it. */
export function isNetworkError(thrown: unknown): boolean {
  const fetchFailed = thrown instanceof TypeError && /^(?:terminated|fetch failed)$/.test(thrown.message);
  return fetchFailed || networkCode(thrown) !== undefined;
}

const NETWORK_CODE = /^(?:E[A-Z]{3,}|UND_ERR_\w+|HPE_\w+|Z_\w+|ERR_STREAM_PREMATURE_CLOSE|\w*CERT\w*)$/;

/** The code of Node or undici, such as ECONNREFUSED, of the error itself or of what caused it. */
function networkCode(thrown: unknown): string | undefined {
  return causesOf(thrown)
    .map(codeOf)
    .find((code) => typeof code === 'string' && NETWORK_CODE.test(code)) as string | undefined;
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}

/** The error and what caused it, outermost first. */
function causesOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let error = thrown; error instanceof Error && errors.length < 5; error = error.cause)
    errors.push(error);
  return errors;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : wireText(thrown, MAX_FAILURE_BYTES);
}
