import type { SessionHandle } from '../../client/session-handle.js';
import type { CutPlace } from '../../shared/cut-transcript.js';
import { usageLine } from '../chat/commands.js';
import { type Place, withPlace } from '../open-client.js';
import { quoted } from '../quoted.js';
import { terminalOf } from '../terminal.js';
import { pollersOf } from '../turns/pollers.js';
import { transcriptMarkdown } from '../turns/transcript-markdown.js';
import { UsageError } from '../usage-error.js';
import { describedAs, findSession } from './find-session.js';
import { listedSession } from './list-sessions.js';

/** `holdfast session show`: read from the event history. */
export async function sessionShowCommand(name: string, { json }: { json?: boolean }): Promise<void> {
  await withPlace(async (place) => {
    const session = await listedSession(place, await findSession(place, name));
    const { write, style } = terminalOf(process.stdout);
    if (json) return write(`${JSON.stringify({ v: 1, ...session })}\n`);
    const { sessionId, title, status, running, turns, messageCount, usage, taskQueue } = session;
    const lines = [
      style.bold(title ?? sessionId),
      `${running === undefined ? status : `${status} ${running}`} · ${turns} turns · ${messageCount} messages`,
      usageLine(usage),
      style.dim(`begun ${session.startedAt} · last used ${session.lastUsedAt} · queue ${taskQueue}`),
      ...(status === 'ended' ? [] : [style.dim(`holdfast chat ${quoted(sessionId)}`)]),
    ];
    write(lines.map((line) => `${line}\n`).join(''));
  });
}

/** `holdfast session transcript`. Needs a worker of the session. */
export async function sessionTranscriptCommand(name: string, { json }: { json?: boolean }): Promise<void> {
  const { sessionId, messages } = await served(name, async (session) => ({
    sessionId: session.sessionId,
    messages: await session.transcript(),
  }));
  process.stdout.write(
    json ? `${JSON.stringify(messages, undefined, 2)}\n` : transcriptMarkdown(sessionId, messages, 0),
  );
}

export type ForkOptions = { before?: string; upTo?: string; id?: string; title?: string };

/** `holdfast session fork`: prints the new session's id. Needs a worker of the session. */
export async function sessionForkCommand(name: string, options: ForkOptions): Promise<void> {
  const { before, upTo, id, title } = options;
  if (before !== undefined && upTo !== undefined) throw new UsageError('Give --before or --up-to, not both.');
  const keep: CutPlace = before !== undefined ? { before } : upTo !== undefined ? { upTo } : 'all';
  const fork = await served(name, async (session, { metadata, title: own }) => {
    const named = title ?? own;
    return await session.fork(keep, {
      ...(id !== undefined && { sessionId: id }),
      ...(named !== undefined && { title: named }),
      ...(metadata && { metadata }),
    });
  });
  process.stdout.write(`${fork.sessionId}\n`);
}

/** `holdfast session close`: it ends after what runs and waits. */
export async function sessionCloseCommand(name: string): Promise<void> {
  await withPlace(async (place) => {
    const { workflowId } = await findSession(place, name);
    await place.client.session(workflowId).close();
    process.stdout.write(
      `The session ${workflowId} takes no more messages, and ends after what runs and waits.\n`,
    );
  });
}

type Described = Awaited<ReturnType<typeof describedAs>>;

/** With a session that a worker serves. Throws a UsageError where none does: it would be waited for in vain. */
async function served<Result>(
  name: string,
  use: (session: SessionHandle, described: Described) => Promise<Result>,
): Promise<Result> {
  return await withPlace(async (place: Place) => {
    const described = await findSession(place, name);
    const { workflowId, taskQueue } = described;
    if ((await pollersOf(place.client.client, taskQueue)).length === 0) {
      throw new UsageError(
        taskQueue.startsWith('holdfast:')
          ? `No worker serves the session: its worker was a chat. Open that in another terminal: holdfast chat ${quoted(workflowId)}`
          : `No worker polls its task queue "${taskQueue}". Start one: holdfast worker <module> --task-queue ${quoted(taskQueue)}`,
      );
    }
    const session = place.client.session(workflowId, { taskQueue });
    return await use(session, await describedAs(place, described));
  });
}
