import { randomUUID } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { SessionHandle } from '../../client/session-handle.js';
import { DEFAULT_TASK_QUEUE } from '../../shared/turn.js';
import { turnQueue } from '../coder.js';
import type { Place } from '../open-client.js';
import { describedAs, lookForSession } from '../sessions/find-session.js';
import { latestChat } from '../sessions/list-sessions.js';
import { UsageError } from '../usage-error.js';
import { workspace } from '../workspace.js';
import { afterItsEnd } from './ended-session.js';

export type ChatPlaceOptions = {
  workspace?: string;
  agent?: string;
  taskQueue?: string;
  continue?: boolean;
};

export type OpenedSession = {
  /** Of a new one the title is that of its first message. */
  session(title?: string): SessionHandle;
  sessionId: string;
  isNew: boolean;
  agent: string;
  taskQueue: string;
  /** The folder of the coder, for whose turns this process is the worker; undefined where others serve them. */
  root: string | undefined;
};

export const CODER = 'coder';

/** The session that is named, or the last one, or a new one. */
export async function openSession(
  place: Place,
  name: string | undefined,
  options: ChatPlaceOptions,
): Promise<OpenedSession> {
  if (name !== undefined && options.continue)
    throw new UsageError('Name a session, or give --continue for the last one; not both.');
  const last = options.continue ? await latestChat(place) : undefined;
  const wanted = name ?? last;
  if (options.continue && wanted === undefined)
    throw new UsageError(
      'No chat was begun yet that could go on. Those of programs go on by name: holdfast sessions',
    );
  const described = wanted === undefined ? undefined : await lookForSession(place, wanted);
  return described ? await earlier(place, described, options) : begin(place, wanted, options);
}

function begin(place: Place, name: string | undefined, options: ChatPlaceOptions): OpenedSession {
  const { agent = CODER } = options;
  const sessionId = name ?? randomUUID();
  const isServed = options.agent !== undefined || options.taskQueue !== undefined;
  const root = isServed ? undefined : workspace(options.workspace ?? process.cwd());
  const taskQueue =
    options.taskQueue ?? (root === undefined ? DEFAULT_TASK_QUEUE : turnQueue(root, sessionId));
  const metadata = { agent, ...(root !== undefined && { workspace: root }) };
  const session = (title?: string) =>
    place.client.session(sessionId, { taskQueue, metadata, ...(title !== undefined && { title }) });
  return { session, sessionId, isNew: true, agent, taskQueue, root };
}

async function earlier(
  place: Place,
  described: WorkflowExecutionDescription,
  options: ChatPlaceOptions,
): Promise<OpenedSession> {
  const { workflowId, taskQueue, status } = described;
  if (status.name !== 'RUNNING') {
    throw new UsageError(`The session ${workflowId} has ended.\n${afterItsEnd(workflowId)}`);
  }
  for (const given of ['workspace', 'taskQueue'] as const) {
    if (options[given] === undefined) continue;
    throw new UsageError(
      `A session stays where it was begun: leave out the ${given === 'workspace' ? '--workspace' : '--task-queue'}.`,
    );
  }
  const { metadata = {} } = await describedAs(place, described);
  const folder = metadata['workspace'];
  const root =
    typeof folder === 'string' && taskQueue.startsWith('holdfast:') ? workspace(folder) : undefined;
  const { agent = metadata['agent'] } = options;
  if (typeof agent !== 'string') {
    throw new UsageError(
      `A program began the session ${workflowId}, and it does not say who answers: give --agent NAME.`,
    );
  }
  const session = () => place.client.session(workflowId, { taskQueue });
  return { session, sessionId: workflowId, isNew: false, agent, taskQueue, root };
}
