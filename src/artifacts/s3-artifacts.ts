import { setTimeout } from 'node:timers/promises';
import type { ArtifactSource } from '../shared/artifacts.js';
import type { ArtifactStore } from './artifact-store.js';
import { type S3Credentials, signedHeaders } from './sign-request.js';

export type S3ArtifactsOptions = {
  bucket: string;
  /** Before each key, like `holdfast/`. Letters, digits and . _ - / only. */
  prefix?: string;
  /** Default: the variable AWS_REGION, else `us-east-1`. */
  region?: string;
  /** Of a server other than AWS that speaks S3 (MinIO, R2, Ceph): `http://localhost:9000`. */
  endpoint?: string;
  /** Default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. A function is asked for each request. */
  credentials?: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
};

type Request = {
  method: string;
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
};
type Body = { sha256: string; content: Uint8Array | ArtifactSource };

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const TRIES = 3;
const TRY_TIMEOUT_MS = 60_000;
const RETRY_MS = 200;
const SAFE_PREFIX = /^[a-zA-Z0-9._/-]*$/;

/** Artifacts as objects of a bucket: for workers on several machines. Needs no AWS package; it speaks S3's REST. */
export function s3Artifacts(options: S3ArtifactsOptions): ArtifactStore {
  const { bucket, prefix = '' } = options;
  if (!/^[a-z0-9][a-z0-9.-]{2,62}$/.test(bucket))
    throw new TypeError(`bucket: ${JSON.stringify(bucket)} is no bucket's name.`);
  if (!SAFE_PREFIX.test(prefix) || prefix.startsWith('/'))
    throw new TypeError(`prefix: ${JSON.stringify(prefix)} may hold letters, digits and . _ - / only.`);
  const send = sender(options);
  return {
    async put(key, content) {
      const bytes = content instanceof Uint8Array ? content.byteLength : content.bytes;
      const headers = { 'content-length': String(bytes), 'content-type': 'application/octet-stream' };
      await send({ method: 'PUT', key: prefix + key, headers }, { sha256: key, content });
    },
    async get(key, range) {
      const headers = range && { range: `bytes=${range.from}-${range.to - 1}` };
      const response = await send({ method: 'GET', key: prefix + key, ...(headers && { headers }) });
      // A range that begins behind the end.
      if (response?.status === 416) return new Uint8Array();
      return response && new Uint8Array(await response.arrayBuffer());
    },
    async deleteOlderThan(time) {
      let deleted = 0;
      for await (const { key, storedAt } of listed(send, prefix)) {
        if (!/^[0-9a-f]{64}$/.test(key.slice(prefix.length)) || storedAt >= time) continue;
        await send({ method: 'DELETE', key });
        deleted += 1;
      }
      return deleted;
    },
  };
}

type Send = (request: Request, body?: Body) => Promise<Response | undefined>;

/** What is sent is tried three times where the fault may pass; undefined is a key that is not there. */
function sender(options: S3ArtifactsOptions): Send {
  const region = options.region ?? (process.env['AWS_REGION'] || 'us-east-1');
  const base = baseOf(options, region);
  return async ({ method, key = '', query = {}, headers = {} }, body) => {
    const url = new URL(base + key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const bodySha256 = body?.sha256 ?? EMPTY_SHA256;
    for (let attempt = 1; ; attempt++) {
      const credentials = await credentialsOf(options);
      const signing = { region, at: new Date() };
      const signed = signedHeaders({ method, url, headers, bodySha256 }, credentials, signing);
      const outcome = await once(url, method, signed, body);
      if (outcome instanceof Response && (outcome.ok || outcome.status === 416)) return outcome;
      if (
        outcome instanceof Response &&
        outcome.status === 404 &&
        /<Code>NoSuchKey</.test(await textOf(outcome))
      )
        return undefined;
      const mayPass = !(outcome instanceof Response) || outcome.status >= 500 || outcome.status === 429;
      if (!mayPass || attempt === TRIES) throw await faultOf(method, url, outcome);
      await setTimeout(RETRY_MS * 2 ** attempt);
    }
  };
}

async function once(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: Body | undefined,
): Promise<Response | Error> {
  // fetch sets these two itself; the length of a stream it can't know.
  const { host: _host, ...sent } = headers;
  const content = body?.content;
  const stream =
    content === undefined || content instanceof Uint8Array ? content : ReadableStream.from(content.read());
  try {
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: sent,
      duplex: 'half',
      signal: AbortSignal.timeout(TRY_TIMEOUT_MS),
      ...(stream && { body: stream }),
    };
    return await fetch(url, init);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Cloned, so that a fault can be told in the server's own words afterwards. */
async function textOf(response: Response): Promise<string> {
  return await response.clone().text();
}

async function faultOf(method: string, url: URL, outcome: Response | Error): Promise<Error> {
  const what = `S3 ${method} ${url.host}${url.pathname}`;
  if (outcome instanceof Error) {
    const why = outcome.cause instanceof Error ? outcome.cause.message : outcome.message;
    return new Error(`${what}: ${why}`, { cause: outcome });
  }
  const [, code = ''] = /<Code>([^<]*)</.exec(await outcome.text()) ?? [];
  return new Error(`${what}: ${outcome.status} ${code}`.trim());
}

/** A bucket with a dot in its name has no certificate for a host name of its own. */
function baseOf({ bucket, endpoint }: S3ArtifactsOptions, region: string): string {
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
}

async function credentialsOf({ credentials }: S3ArtifactsOptions): Promise<S3Credentials> {
  if (credentials) return typeof credentials === 'function' ? await credentials() : credentials;
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (!accessKeyId || !secretAccessKey)
    throw new Error('s3Artifacts: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give `credentials`.');
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

async function* listed(send: Send, prefix: string): AsyncGenerator<{ key: string; storedAt: Date }> {
  for (let token = ''; ; ) {
    const query = { 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) };
    const response = await send({ method: 'GET', query });
    const page = (await response?.text()) ?? '';
    for (const [, object = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      yield { key: fieldOf(object, 'Key'), storedAt: new Date(fieldOf(object, 'LastModified')) };
    }
    token = fieldOf(page, 'NextContinuationToken');
    if (token === '') return;
  }
}

/** Of our own keys none needs more than this; a continuation token may. */
function fieldOf(xml: string, name: string): string {
  const [, value = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
