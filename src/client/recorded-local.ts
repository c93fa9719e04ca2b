import type { LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { RunToolResult } from '../shared/activities.js';
import { decodePayloads } from './payloads.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The name that SDKs give the marker of a local activity's end. */
const LOCAL_ACTIVITY = 'core_local_activity';

/** What a tool gave that ran as a local activity. One that gave nothing is run again, as an ordinary activity. */
export async function recordedLocalTool(
  converter: LoadedDataConverter,
  event: HistoryEvent,
): Promise<{ kind: 'tool_ran'; attempt: number; output: RunToolResult } | undefined> {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== LOCAL_ACTIVITY || marker.failure) return undefined;
  const [output] = await decodePayloads(converter, marker.details?.['result']?.payloads);
  return { kind: 'tool_ran', attempt: 1, output: output as RunToolResult };
}
