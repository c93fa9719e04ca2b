import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { artifactsIn } from '../shared/artifact-names.js';
import type { TranscriptSegment } from '../shared/carried.js';
import { latest } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import type { CollectedTurn, CollectTurnInput, EndedTurn } from '../shared/session-activities.js';
import { reconcile } from '../shared/transcript.js';
import { noUsage } from '../shared/usage.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices, TurnLeft } from './services.js';
import { packedView } from './session-segments.js';
import { appended, unlessLost, unpackSegment } from './transcript-segments.js';

/** Of the names of its artifacts, in the same place. */
export const NAMES_BYTES = 50_000;
/** Of gzip, in a session's state, which is in its history some times a turn; more of it goes into the artifact store. */
export const INLINE_BYTES = 128 * 1024;

/** After some 15 s it is enough to have what the turn has added. */
const ATTEMPTS_WITH_ALL = 5;

const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 500;

/**
 * How a turn of a session has ended, and the session's messages with those that the turn has added: from its event history, so
 * that it makes no difference whether the turn could tell. What it leaves is valid, whatever it was doing when it ended.
 */
export async function collectTurn(
  services: ActivityServices,
  input: CollectTurnInput,
): Promise<CollectedTurn> {
  const context = Context.current();
  return await beatWhile(context, { details: () => undefined }, async () => {
    const left = await untilEnded(services, input, context.cancellationSignal);
    if (left === 'running') return { v: 1, ended: false };
    const base = {
      ...(input.base && { base: input.base }),
      ...(input.compacted && { compacted: input.compacted }),
    };
    if (left === 'gone') {
      const nothing = { added: 0, usage: noUsage, always: [], delivered: [], undelivered: [] };
      return { v: 1, ended: true, outcome: 'gone', ...base, ...nothing };
    }
    const { messages, compacted, ...told } = left;
    const added = addedBy(messages);
    const artifacts = latest(artifactsIn(added), NAMES_BYTES);
    const own = { added: added.length, ...(artifacts.length > 0 && { artifacts }) };
    if (!input.keepTranscript) return { v: 1, ended: true, ...told, ...own, ...base };
    const kept = await keptOf(services, input, added, compacted && addedBy(compacted));
    return { v: 1, ended: true, ...told, ...own, ...kept };
  });
}

/** With what the turn has added; it may have compacted what it was given, and its own. */
async function keptOf(
  { artifacts }: ActivityServices,
  input: CollectTurnInput,
  added: readonly Message[],
  compacted: readonly Message[] | undefined,
): Promise<Pick<EndedTurn, 'base' | 'compacted'>> {
  const isCompacted = compacted !== undefined || input.compacted !== undefined;
  const bytes = isCompacted ? INLINE_BYTES / 2 : INLINE_BYTES;
  const base = await appended(input.base, added, bytes, artifacts);
  if (!isCompacted) return { ...(base && { base }) };
  const mark = input.compacted?.compacted;
  const made = compacted
    ? await packedView(compacted, bytes, artifacts)
    : await appended(input.compacted, added, bytes, artifacts);
  return { ...(base && { base }), ...(made && { compacted: { ...(mark && { compacted: mark }), ...made } }) };
}

/** What the model is told before a conversation is each agent's own, and is not part of the conversation. */
function addedBy(messages: readonly Message[]): readonly Message[] {
  return reconcile(messages.filter(({ role }) => role !== 'system'));
}

async function untilEnded(
  { readTurn, artifacts }: ActivityServices,
  { turnId, waitMs }: CollectTurnInput,
  signal: AbortSignal,
): Promise<TurnLeft | 'running' | 'gone'> {
  const { client, info } = Context.current();
  const until = performance.now() + waitMs;
  // What was said before is not needed to keep what the turn has added; but another worker may have it.
  let lost: unknown;
  const readSegment = async (segment: TranscriptSegment) =>
    await unpackSegment(segment, artifacts).catch((error: unknown) => {
      unlessLost(error);
      if (info.attempt < ATTEMPTS_WITH_ALL) throw error;
      lost = error;
      return undefined;
    });
  for (let look = FIRST_LOOK_MS; ; look = Math.min(2 * look, LAST_LOOK_MS)) {
    const left = await readTurn(client, turnId, readSegment);
    // A summary can't be placed among messages that nobody can count.
    if (lost && typeof left === 'object' && left.compacted) throw lost;
    if (left !== 'running' || performance.now() + look > until) return left;
    await setTimeout(look, undefined, { signal });
  }
}
