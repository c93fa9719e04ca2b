import { pageTitle } from '../../activities/openai/classify-error.js';
import { isJsonObject, type Json, parseJson } from '../../shared/json.js';
import { errorText } from '../../shared/wire-text.js';
import { type Finding, failed } from './check.js';
import type { Endpoint } from './endpoint.js';

/** What an address answers to a question for its models. */
export type Answer = { status: number; ms: number; models?: Listed[]; said: string; isPage?: boolean };
export type Listed = { id: string; entry: Json };

const REACH_MS = 10_000;

export const PAGE_ADVICE =
  'Check OPENAI_BASE_URL. It is the address of the API, not of its pages, and usually ends in /v1.';

/** Asks for the list of models, which costs nothing. A finding says why nothing of use has answered. */
export async function reach(endpoint: Endpoint): Promise<Answer | Finding> {
  const { url } = endpoint;
  try {
    const { status, ms, body, isPage } = await get(endpoint, url);
    if (!isPage) {
      const parsed = parseJson(body);
      const models = status === 200 && parsed.ok ? modelsIn(parsed.value) : undefined;
      if (status !== 404 || models) return { status, ms, said: body, ...(models && { models }) };
    }
    if (isPage && status >= 500) return behindGateway(new URL(url), status, body);
    if (await speaksAt(endpoint, `${url}/v1`)) {
      const answer = isPage ? `A web page answered (${status})` : `Nothing is at ${url}`;
      return failed(
        `${answer}: this is not where the API is.`,
        `Set OPENAI_BASE_URL=${url}/v1, which answers.`,
      );
    }
    // Not every server has a list of models, or gives it to all: then the reply decides.
    if (!isPage || status >= 400) return { status, ms, said: body, isPage };
    return failed(`A web page answered (${status})${titleOf(body)}, and no model server.`, PAGE_ADVICE);
  } catch (error) {
    return unreachable(error, new URL(url));
  }
}

function behindGateway({ host }: URL, status: number, body: string): Finding {
  return failed(
    `A gateway answers at ${host}, and the server behind it does not: ${status}${titleOf(body)}.`,
    'Start the server behind it, or see in its log why it fails; then ask again.',
  );
}

function titleOf(page: string): string {
  const title = pageTitle(page);
  return title ? `, "${title}"` : '';
}

async function get({ key, timeoutMs }: Endpoint, url: string) {
  const startedAt = performance.now();
  const response = await fetch(`${url}/models`, {
    headers: { accept: 'application/json', ...(key !== '' && { authorization: `Bearer ${key}` }) },
    signal: AbortSignal.timeout(Math.min(REACH_MS, timeoutMs)),
  });
  const body = await response.text();
  const isPage = /<(?:!doctype|html|head|body)\b/i.test(body.slice(0, 2000));
  return { status: response.status, ms: Math.round(performance.now() - startedAt), body, isPage };
}

async function speaksAt(endpoint: Endpoint, url: string): Promise<boolean> {
  if (endpoint.url.endsWith('/v1')) return false;
  const { status, body, isPage } = await get(endpoint, url);
  return !isPage && (status === 401 || status === 403 || (status === 200 && parseJson(body).ok));
}

/** `{ data: [...] }`; some leave the list bare. */
function modelsIn(body: Json): Listed[] | undefined {
  const list = isJsonObject(body) ? (body['data'] ?? body['models']) : body;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry) => {
    const id = isJsonObject(entry) ? (entry['id'] ?? entry['name']) : entry;
    return typeof id === 'string' ? [{ id, entry }] : [];
  });
}

function unreachable(error: unknown, { protocol, host, hostname }: URL): Finding {
  const codes = causesOf(error).flatMap((cause) => [cause.name, 'code' in cause ? String(cause.code) : '']);
  const has = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  const root = causesOf(error).findLast(({ message }) => message !== '')?.message ?? errorText(error);
  if (has(/^(?:ENOTFOUND|EAI_AGAIN)$/)) {
    return failed(
      `The name ${hostname} is not known (DNS).`,
      'Check the spelling in OPENAI_BASE_URL, the network and the VPN.',
    );
  }
  if (has(/^ECONNREFUSED$/)) {
    return failed(
      `Nothing listens at ${host}.`,
      'Start the server, or correct the port in OPENAI_BASE_URL. In a container, localhost is the container itself.',
    );
  }
  if (has(/TIMEOUT|TIMEDOUT|^TimeoutError$/i)) {
    return failed(
      `${host} did not answer in time.`,
      'Check the address, a firewall, and whether the server hangs.',
    );
  }
  if (has(/SSL|EPROTO|TLS/) && !has(/CERT/)) {
    const other = protocol === 'https:' ? 'http' : 'https';
    return failed(`${host} does not speak TLS as it should: ${root}.`, `Try ${other}:// in OPENAI_BASE_URL.`);
  }
  if (has(/CERT|SELF_SIGNED|UNABLE_TO_/)) {
    return failed(
      `The certificate of ${host} is not trusted: ${root}.`,
      'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, on the worker too.',
    );
  }
  return failed(`${host} was not reached: ${root}.`, 'Check OPENAI_BASE_URL, its port too, and the network.');
}

function causesOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let error = thrown; error instanceof Error && errors.length < 6; error = error.cause) {
    errors.push(error);
    // Where a name has several addresses.
    if (error instanceof AggregateError) errors.push(...error.errors.filter((each) => each instanceof Error));
  }
  return errors;
}
