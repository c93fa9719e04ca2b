import type { temporal } from '@temporalio/proto';
import type { Json } from '../shared/json.js';
import { type RemoteCall, remoteFaultEnd, remoteReturned } from '../shared/remote-tools.js';
import type { ToolEnd } from '../shared/settle.js';

type Failure = temporal.api.failure.v1.IFailure;

/** How any activity ended, as the history has it. */
export type RawEnd =
  | { kind: 'completed'; output: unknown }
  | { kind: 'failed'; failure: Failure | null | undefined }
  | { kind: 'canceled'; details: unknown };

const SCHEDULE_TO_START_TIMEOUT = 2;
const HEARTBEAT_TIMEOUT = 4;

/** How the activity of a remote tool's call ended, as the workflow has it. */
export function remoteEnd(args: Json, call: RemoteCall, end: RawEnd): ToolEnd {
  if (end.kind === 'completed') return remoteReturned(args, call, end.output);
  if (end.kind === 'canceled') return remoteFaultEnd({ is: 'canceled', details: end.details });
  const { timeoutFailureInfo: timeout, applicationFailureInfo: application } = end.failure ?? {};
  if (timeout) {
    const { timeoutType } = timeout;
    const isQueue = timeoutType === SCHEDULE_TO_START_TIMEOUT;
    const which = isQueue ? 'queue' : timeoutType === HEARTBEAT_TIMEOUT ? 'heartbeat' : 'other';
    return remoteFaultEnd({ is: 'timeout', which, tried: Boolean(end.failure?.cause) });
  }
  const type = application?.type || undefined;
  return remoteFaultEnd({ is: 'failure', type, text: end.failure?.message ?? '' });
}
