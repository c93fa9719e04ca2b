import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Message } from '../shared/messages.js';
import type { CollectedTurn, CollectTurnInput } from '../shared/session-activities.js';
import { reconcile } from '../shared/transcript.js';
import { noUsage } from '../shared/usage.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices, TurnLeft } from './services.js';
import { appended, unpackSegment } from './transcript-segments.js';

/** Of gzip, in a session's state, which is in its history some times a turn; more of it goes into the artifact store. */
export const INLINE_BYTES = 128 * 1024;

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
    const base = input.base && { base: input.base };
    if (left === 'gone') {
      const nothing = { added: 0, usage: noUsage, always: [], delivered: [], undelivered: [] };
      return { v: 1, ended: true, outcome: 'gone', ...base, ...nothing };
    }
    const { messages, ...told } = left;
    const added = addedBy(messages);
    const kept = input.keepTranscript
      ? await appended(input.base, added, INLINE_BYTES, services.artifacts)
      : input.base;
    return { v: 1, ended: true, ...told, added: added.length, ...(kept && { base: kept }) };
  });
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
  const { client } = Context.current();
  const until = performance.now() + waitMs;
  for (let look = FIRST_LOOK_MS; ; look = Math.min(2 * look, LAST_LOOK_MS)) {
    const left = await readTurn(client, turnId, (segment) => unpackSegment(segment, artifacts));
    if (left !== 'running' || performance.now() + look > until) return left;
    await setTimeout(look, undefined, { signal });
  }
}
