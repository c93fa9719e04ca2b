import type { temporal } from '@temporalio/proto';

/** Loaded when there is something to seal or to open: most processes have nothing. */
export async function payloadMessage(): Promise<typeof temporal.api.common.v1.Payload> {
  const { default: proto } = await import('@temporalio/proto');
  return proto.temporal.api.common.v1.Payload;
}
