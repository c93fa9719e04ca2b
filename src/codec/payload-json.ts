import type { Payload } from '@temporalio/common';

/** Protobuf's JSON of `Payloads`: bytes are base64. Undefined where the text is none. */
export function payloadsFromJson(text: string): Payload[] | undefined {
  try {
    const { payloads } = JSON.parse(text) as { payloads?: unknown };
    return Array.isArray(payloads) ? payloads.map(payloadOf) : undefined;
  } catch {
    return undefined;
  }
}

export function payloadsToJson(payloads: readonly Payload[]): string {
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  return JSON.stringify({
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([key, value]) => [key, base64(value)]),
      ),
      data: base64(data),
    })),
  });
}

/** Throws where it is no payload. */
function payloadOf(value: unknown): Payload {
  if (typeof value !== 'object' || value === null) throw new TypeError('A payload is an object.');
  const { metadata, data } = value as { metadata?: object | null; data?: unknown };
  const entries = Object.entries(metadata ?? {}).map(([key, each]) => [key, bytesOf(each)]);
  return { metadata: Object.fromEntries(entries), data: bytesOf(data ?? '') };
}

function bytesOf(base64: unknown): Uint8Array {
  if (typeof base64 !== 'string') throw new TypeError('Bytes are base64.');
  return Buffer.from(base64, 'base64');
}
