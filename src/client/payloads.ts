import type { LoadedDataConverter, Payload } from '@temporalio/common';

/** The values that payloads hold, through the client's own codecs and converter. */
export async function decodePayloads(
  converter: LoadedDataConverter,
  payloads: readonly Payload[] | null | undefined,
): Promise<unknown[]> {
  let decoded = [...(payloads ?? [])];
  for (const codec of converter.payloadCodecs.toReversed()) decoded = await codec.decode(decoded);
  return decoded.map((payload) => converter.payloadConverter.fromPayload<unknown>(payload));
}
