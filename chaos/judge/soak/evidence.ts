import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import type { Message } from 'holdfast/client';
import { decodePayloads } from '../../../dist/client/payloads.js';
import { type HistoryEvent, runsOf, sizeOf } from '../chain.js';
import type { ReadArchive, SessionRecord } from './record.js';
import { readTurn } from './turn-evidence.js';

type Segment = { inline?: string; artifact?: { sha256: string }; plain?: Message[] };
type Base = { segments: Segment[] };
/** What a turn has left, or a compaction between two turns (`record`). */
type Collected = { ended?: boolean; record?: object; base?: Base; compacted?: Base };

/** All that the server knows of a session and of its turns. Histories are read run by run, and nothing is kept of them. */
export async function readSession(client: Client, sessionId: string, folder: string): Promise<SessionRecord> {
  const session: SessionRecord = {
    ...{ sessionId, ended: 'unknown to the server' },
    ...{ turns: [], sessionRuns: [], turnRuns: [], transcript: [], compactions: 0 },
  };
  let base: Base | undefined;
  let given: Base | undefined;
  const turnIds: string[] = [];
  for await (const events of runsOf(client, sessionId)) {
    session.sessionRuns.push(sizeOf(sessionId, events));
    session.ended = endOf(events.at(-1));
    for (const event of events) {
      const turnId = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
      if (turnId) turnIds.push(turnId);
      const result = event.activityTaskCompletedEventAttributes?.result?.payloads;
      const [collected] = (await decodePayloads(client.options.loadedDataConverter, result)) as [Collected?];
      if (collected?.ended) [base, given] = [collected.base, collected.compacted];
      if (collected?.record && collected.compacted) {
        given = collected.compacted;
        session.compactions += 1;
      }
    }
  }
  const messagesOf = ({ segments }: Base) => segments.flatMap((segment) => unpacked(segment, folder));
  if (base) session.transcript = messagesOf(base);
  if (given) session.given = messagesOf(given);
  for (const turnId of turnIds) session.turns.push(await readTurn(client, turnId, session.turnRuns));
  return session;
}

function endOf(last: HistoryEvent | undefined): string {
  if (last?.workflowExecutionCompletedEventAttributes) return 'completed';
  const failure = last?.workflowExecutionFailedEventAttributes?.failure;
  return failure ? `failed: ${failure.message}` : 'open';
}

function unpacked(segment: Segment, folder: string): Message[] {
  if (segment.plain) return segment.plain;
  const packed = segment.inline
    ? Buffer.from(segment.inline, 'base64')
    : readFileSync(pathOf(folder, segment.artifact?.sha256 ?? ''));
  return JSON.parse(gunzipSync(packed).toString('utf8')) as Message[];
}

/** What summaries stand for, a message a line. */
export function archivesIn(folder: string): ReadArchive {
  return (sha256) => {
    const path = pathOf(folder, sha256);
    if (!existsSync(path)) return undefined;
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Message]));
  };
}

function pathOf(folder: string, sha256: string): string {
  return join(folder, 'artifacts', sha256.slice(0, 2), sha256);
}
