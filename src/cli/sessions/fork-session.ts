import { randomUUID } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { cutMessages } from '../../activities/packed-messages.js';
import { InvalidInput } from '../../client/errors.js';
import { startFork } from '../../client/session-send.js';
import type { CutPlace } from '../../shared/cut-transcript.js';
import type { SessionMessages } from '../../shared/session-activities.js';
import type { Place } from '../open-client.js';
import { UsageError } from '../usage-error.js';
import { describedAs } from './find-session.js';
import { artifactsHere, ifThere, mustAnswer, type ReadSession } from './read-session.js';

export type ForkOptions = { before?: string; upTo?: string; id?: string; title?: string };

/**
 * Begins a new session with the messages of one that was read, and returns its id. Only where messages have to be cut that this
 * machine's artifact store does not hold a worker of the session is needed.
 */
export async function forkOf(
  place: Pick<Place, 'client'>,
  described: WorkflowExecutionDescription,
  { messages, limits, keepsTranscript }: ReadSession,
  keep: CutPlace,
  { id: sessionId = randomUUID(), title: given }: ForkOptions,
): Promise<string> {
  const { workflowId, taskQueue } = described;
  const { title, metadata } = await describedAs(place, described);
  const named = given ?? title;
  const options = {
    ...(named !== undefined && { title: named }),
    ...(metadata && { metadata }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(!keepsTranscript && { keepTranscript: false }),
  };
  // Throws for what no session can be begun with.
  place.client.session(sessionId, { taskQueue, ...options });
  const kept = await cutTo(workflowId, messages, keep);
  if (!kept) return await forkByWorker(place, described, keep, { sessionId, ...options });
  const fork = { client: place.client.client, sessionId, taskQueue, input: { v: 1 as const, ...options } };
  await startFork(fork, { sessionId: workflowId, keep, messages: kept });
  return sessionId;
}

/** Undefined where a part of the messages is not on this machine. */
async function cutTo(
  workflowId: string,
  messages: SessionMessages,
  keep: CutPlace,
): Promise<SessionMessages | undefined> {
  const { base, compacted } = messages;
  if (keep === 'all') return messages;
  if (!base) throw new InvalidInput(`The session ${workflowId} has no messages.`);
  const input = { v: 1 as const, base, keep, ...(compacted && { compacted }) };
  const cut = await ifThere(cutMessages(artifactsHere(), input));
  if (!cut) return undefined;
  const { v: _v, problem, ...kept } = cut;
  if (problem === undefined) return kept;
  throw new InvalidInput(`The session ${workflowId} can't be cut there. ${problem}`);
}

async function forkByWorker(
  place: Pick<Place, 'client'>,
  described: WorkflowExecutionDescription,
  keep: CutPlace,
  options: { sessionId: string; title?: string },
): Promise<string> {
  const { workflowId, taskQueue, status } = described;
  if (status.name !== 'RUNNING') {
    throw new UsageError(
      `The session ${workflowId} has ended, and a part of its messages is in an artifact store that this machine has not. ` +
        'Fork it whole, without --before and --up-to, and roll the fork back.',
    );
  }
  await mustAnswer(place, described, 'It would have to cut messages that this machine has not.');
  const fork = await place.client.session(workflowId, { taskQueue }).fork(keep, options);
  return fork.sessionId;
}
