import type { LoadedDataConverter, Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';

type Failure = temporal.api.failure.v1.IFailure;

/** The values that payloads hold, through the client's own codecs and converter. */
export async function decodePayloads(
  converter: LoadedDataConverter,
  payloads: readonly Payload[] | null | undefined,
): Promise<unknown[]> {
  let decoded = [...(payloads ?? [])];
  for (const codec of converter.payloadCodecs.toReversed()) decoded = await codec.decode(decoded);
  return decoded.map((payload) => converter.payloadConverter.fromPayload<unknown>(payload));
}

/**
 * The failure with its own message, where a converter has put that into a payload, as it is done for encryption. Details
 * and causes stay as they are.
 */
export async function decodeFailure(converter: LoadedDataConverter, failure: Failure): Promise<Failure> {
  const { encodedAttributes, ...rest } = failure;
  if (!encodedAttributes) return failure;
  const [attributes] = await decodePayloads(converter, [encodedAttributes]);
  if (typeof attributes !== 'object' || attributes === null) return failure;
  const { message, stack_trace: stackTrace } = attributes as { message?: unknown; stack_trace?: unknown };
  return {
    ...rest,
    ...(typeof message === 'string' && { message }),
    ...(typeof stackTrace === 'string' && { stackTrace }),
  };
}
