import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { unlessLost, unpackSegment } from '../../activities/transcript-segments.js';
import { Artifacts } from '../../artifacts/artifacts.js';
import { localArtifacts } from '../../artifacts/local-artifacts.js';
import { hasEnded as turnEnded } from '../../client/session-calls.js';
import { packedMessages } from '../../client/session-transcript.js';
import { keyringOf } from '../../codec/data-converter.js';
import type { TranscriptBase, TranscriptSegment } from '../../shared/carried.js';
import type { Message } from '../../shared/messages.js';
import { checkedCodec } from '../codec-settings.js';
import type { Place } from '../open-client.js';
import { quoted } from '../quoted.js';
import { WorkerUnreachable } from '../reach-server.js';
import { pollersOf } from '../turns/pollers.js';
import { type RecordedSession, recordedSession } from './recorded-session.js';

export type ReadSession = RecordedSession & {
  /** What runs has ended, and no worker of the session has taken it in. */
  hasEnded: boolean;
};

type Described = Pick<WorkflowExecutionDescription, 'workflowId' | 'taskQueue' | 'status'>;

/** For a session to take in what its turn has left, and for a worker to answer. */
const ANSWER_MS = 10_000;
const LOOK_AGAIN_MS = 200;

/**
 * A session from its event history. A turn that has ended by now is part of it where a worker of the session takes it in within
 * ten seconds; else it is `running`, and `hasEnded` says so.
 */
export async function readSession(
  { client: { client } }: Pick<Place, 'client'>,
  { workflowId, taskQueue }: Described,
): Promise<ReadSession> {
  const until = Date.now() + ANSWER_MS;
  for (;;) {
    const { runId, status } = await client.workflow.getHandle(workflowId).describe();
    const session = await recordedSession(client, { workflowId, runId });
    const hasEnded = session.running !== undefined && (await turnEnded(client, session.running));
    const isWaiting = hasEnded && status.name === 'RUNNING' && Date.now() < until;
    if (!isWaiting || (await pollersOf(client, taskQueue)).length === 0) return { ...session, hasEnded };
    await delay(LOOK_AGAIN_MS);
  }
}

/** What a session's messages lack, for whoever reads them; undefined where that is nothing. */
export function lackOf({ running, hasEnded }: ReadSession): string | undefined {
  if (running === undefined) return undefined;
  return hasEnded
    ? `The turn ${running} has ended, and no worker of the session has taken it in yet: it is not part of this. Read it: holdfast transcript ${quoted(running)}`
    : `The turn ${running} runs: it is not part of this. Watch it: holdfast watch ${quoted(running)}`;
}

/** All messages of a base: those in the artifact store from that of this machine, else by a worker of the session. */
export async function messagesOf(
  place: Pick<Place, 'client'>,
  session: Described,
  base: TranscriptBase | undefined,
): Promise<Message[]> {
  const messages: Message[] = [];
  let isServed = false;
  for (const segment of base?.segments ?? []) {
    const found = await foundHere(segment);
    if (found) messages.push(...found);
    else {
      if (!isServed)
        await mustAnswer(
          place,
          session,
          'A part of its messages is in an artifact store that this machine has not.',
        );
      isServed = true;
      const one = { ...(base as TranscriptBase), segments: [segment] };
      for await (const message of packedMessages(place.client.client, session.taskQueue, one))
        messages.push(message);
    }
  }
  return messages;
}

/** Undefined for what this machine's artifact store does not hold. */
async function foundHere(segment: TranscriptSegment): Promise<Message[] | undefined> {
  return await ifThere(unpackSegment(segment, artifactsHere()));
}

export function artifactsHere(): Artifacts {
  return new Artifacts(localArtifacts(), keyringOf(checkedCodec()));
}

/** Undefined where an artifact is not there. */
export async function ifThere<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return await reading.catch((error: unknown) => {
    unlessLost(error);
    return undefined;
  });
}

/** Throws a {@link WorkerUnreachable} where no worker of the session answers: one that was killed still counts as polling for a minute. */
export async function mustAnswer(
  { client }: Pick<Place, 'client'>,
  { workflowId, taskQueue, status }: Described,
  why: string,
): Promise<void> {
  if ((await pollersOf(client.client, taskQueue)).length > 0) {
    const session = client.session(workflowId, { taskQueue });
    const ask = async () => await session.state();
    const state = await client.client.withDeadline(Date.now() + ANSWER_MS, ask).catch(() => undefined);
    if (state) return;
  }
  const isCoder = taskQueue.startsWith('holdfast:');
  const todo = !isCoder
    ? `Start one: holdfast worker <module> --task-queue ${quoted(taskQueue)}`
    : status.name === 'RUNNING'
      ? `Its worker is a chat: open that in another terminal, holdfast chat ${quoted(workflowId)}`
      : 'Its worker was a chat, and it has ended: name the folder of the artifact store, HOLDFAST_ARTIFACTS, and try again.';
  throw new WorkerUnreachable(`No worker of the session ${workflowId} answers. ${why}\n${todo}`);
}
