import { createHash, createHmac } from 'node:crypto';

export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

export type RequestToSign = {
  method: string;
  /** Its path holds only characters that need no escaping. */
  url: URL;
  headers: Record<string, string>;
  /** SHA-256 of the body, in hex. */
  bodySha256: string;
};

/**
 * AWS Signature Version 4 for S3: the headers to send. Checked against the examples of AWS's documentation
 * ("Authenticating Requests: Using the Authorization Header").
 */
export function signedHeaders(
  { method, url, headers, bodySha256 }: RequestToSign,
  { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  { region, at }: { region: string; at: Date },
): Record<string, string> {
  const time = at.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': bodySha256,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${all[name]}`),
    '',
    names.join(';'),
    bodySha256,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hashed}`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`,
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return pairs.sort().join('&');
}

/** As RFC 3986 has it: `encodeURIComponent` leaves five characters more than that. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
