import type { CutPlace } from '../../shared/cut-transcript.js';
import { usageLine } from '../chat/commands.js';
import { withPlace } from '../open-client.js';
import { quoted } from '../quoted.js';
import { terminalOf } from '../terminal.js';
import { transcriptMarkdown } from '../turns/transcript-markdown.js';
import { UsageError } from '../usage-error.js';
import { findSession } from './find-session.js';
import { type ForkOptions, forkOf } from './fork-session.js';
import { listedSession } from './list-sessions.js';
import { lackOf, messagesOf, type ReadSession, readSession } from './read-session.js';

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

/** `holdfast session transcript`: read from the event history, and from the artifact store what is there. */
export async function sessionTranscriptCommand(name: string, { json }: { json?: boolean }): Promise<void> {
  const { sessionId, messages } = await withPlace(async (place) => {
    const described = await findSession(place, name);
    const session = await readSession(place, described);
    tellLack(session);
    const messages = await messagesOf(place, described, session.messages.base);
    return { sessionId: described.workflowId, messages };
  });
  process.stdout.write(
    json ? `${JSON.stringify(messages, undefined, 2)}\n` : transcriptMarkdown(sessionId, messages, 0),
  );
}

/** `holdfast session fork`: prints the new session's id. */
export async function sessionForkCommand(name: string, options: ForkOptions): Promise<void> {
  const { before, upTo } = options;
  if (before !== undefined && upTo !== undefined) throw new UsageError('Give --before or --up-to, not both.');
  const keep: CutPlace = before !== undefined ? { before } : upTo !== undefined ? { upTo } : 'all';
  const sessionId = await withPlace(async (place) => {
    const described = await findSession(place, name);
    const session = await readSession(place, described);
    tellLack(session);
    return await forkOf(place, described, session, keep, options);
  });
  process.stdout.write(`${sessionId}\n`);
}

function tellLack(session: ReadSession): void {
  const lack = lackOf(session);
  if (lack !== undefined) process.stderr.write(`${lack}\n`);
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
