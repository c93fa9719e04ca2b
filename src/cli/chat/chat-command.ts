import type { Client } from '@temporalio/client';
import { AgentClient } from '../../client/agent-client.js';
import { hasEnded } from '../../client/session-calls.js';
import { offsetAfter } from '../../client/session-events.js';
import { sessionTurns } from '../../client/session-turns.js';
import { ensureServer } from '../../server/embedded.js';
import type { Message } from '../../shared/messages.js';
import type { PermissionMode } from '../../shared/permissions.js';
import { checkedCodec } from '../codec-settings.js';
import { EXIT_INTERRUPTED } from '../exit-codes.js';
import { type LimitOptions, limitsOf } from '../limit-options.js';
import type { Place } from '../open-client.js';
import { installQuietRuntime } from '../quiet-runtime.js';
import { quoted } from '../quoted.js';
import { checkNamespace, reach, whileLooking } from '../reach-server.js';
import { terminalOf } from '../terminal.js';
import { pollersOf } from '../turns/pollers.js';
import { UsageError } from '../usage-error.js';
import { type Asked, Conversation } from './conversation.js';
import { afterItsEnd } from './ended-session.js';
import { type ChatPlaceOptions, type OpenedSession, openSession } from './open-session.js';
import { promptsOf, recap } from './recap.js';
import { type Screen, screenOf } from './screen.js';
import { type ServeOptions, type Serving, serve } from './serve.js';
import { talk } from './talk.js';

export type ChatOptions = LimitOptions &
  ChatPlaceOptions &
  ServeOptions & {
    mode?: PermissionMode;
    json?: boolean;
  };

/** For what a worker is to answer before the first line can be typed. */
const ANSWER_MS = 10_000;
/** Of a turn's events more than there can be: it has ended. */
const PAST_ALL = Number.MAX_SAFE_INTEGER;

/** `holdfast chat`: a session in the terminal. Returns the exit code. The caller is to end the process. */
export async function chatCommand(name: string | undefined, options: ChatOptions): Promise<number> {
  checkedCodec();
  if (options.module !== undefined && options.agent === undefined)
    throw new UsageError('Say which agent of the module is to answer: --agent NAME.');
  installQuietRuntime();
  const notes = terminalOf(process.stderr);
  const server = await ensureServer({ onProgress: (line) => notes.write(`${notes.style.dim(line)}\n`) });
  const { address, namespace } = server;
  const client = await reach(address, () => AgentClient.connect({ address, namespace }));
  const place = { client, server };
  let serving: Serving | undefined;
  try {
    await checkNamespace(client.client);
    const opened = await openSession(place, name, options);
    serving = await serve(place, opened, options);
    return await chat(place, opened, serving, options);
  } catch (error) {
    throw whileLooking(error, address);
  } finally {
    await serving?.stop();
    await client.close();
  }
}

async function chat(
  place: Place,
  opened: OpenedSession,
  serving: Serving,
  options: ChatOptions,
): Promise<number> {
  const isJson = options.json ?? false;
  const screen = screenOf(isJson);
  const { model, mode } = options;
  const asked: Asked = {
    agent: opened.agent,
    limits: limitsOf(options),
    // The coder's worker has the model.
    ...(model !== undefined && opened.root === undefined && { model }),
    ...(mode !== undefined && { mode }),
  };
  const conversation = new Conversation(place.client, opened.session, { screen, asked, isJson });
  if (isJson)
    process.stdout.write(`${JSON.stringify({ v: 1, type: 'session', sessionId: opened.sessionId })}\n`);
  else greet(screen, opened);
  const history = opened.isNew ? [] : await resume(place, conversation);
  if (!serving.isOwn) await tellOfLackingWorkers(place, opened, conversation);
  const how = await talk(conversation, serving, history);
  if (!isJson) howToComeBack(conversation, serving);
  return how === 'twice' ? EXIT_INTERRUPTED : conversation.exitCode;
}

function greet({ terminal, isTerminal }: Screen, { sessionId, root, agent, isNew }: OpenedSession): void {
  const { write, style } = terminalOf(isTerminal ? process.stdout : process.stderr);
  const where = root === undefined ? agent : `${agent} in ${root}`;
  write(style.dim(`session ${sessionId} · ${where}\n`));
  if (isTerminal && isNew)
    write(terminal.style.dim('/help lists commands; Ctrl-C interrupts, Ctrl-D leaves.\n'));
}

/** Shows the last exchanges, and watches what runs. Returns what was asked, for the arrow keys. */
async function resume({ client }: Place, conversation: Conversation): Promise<string[]> {
  const { session, screen } = conversation;
  const answered = await answeredInTime(async () => {
    const [state, messages] = await Promise.all([session.state(), session.transcript()]);
    return { state, messages };
  });
  if (!answered) {
    conversation.note('No worker of the session answers: what was said before is not shown.');
    const { running, before } = await lastTurns(client.client, session.sessionId);
    if (running !== undefined) conversation.expect(running);
    conversation.watch(before && `${before}@${PAST_ALL}`);
    return [];
  }
  const { state, messages } = answered;
  if (screen.isTerminal) show(conversation, state.title, messages);
  if (state.running) conversation.expect(state.running.turnId);
  conversation.watch(state.lastTurn && (await offsetAfter(client.client, state.lastTurn)));
  return promptsOf(messages);
}

/** The turn that runs, and the last one that has ended: from the event history, as no worker tells. */
async function lastTurns(client: Client, sessionId: string): Promise<{ running?: string; before?: string }> {
  const turnIds: string[] = [];
  for await (const turn of sessionTurns(client, sessionId)) {
    if (!turn.compaction && !turn.isRefused && !turn.isWithdrawn) turnIds.push(turn.turnId);
  }
  const [before, last] = [turnIds.at(-2), turnIds.at(-1)];
  if (last === undefined) return {};
  if (await hasEnded(client, last)) return { before: last };
  return { running: last, ...(before !== undefined && { before }) };
}

function show({ screen: { terminal } }: Conversation, title: string | undefined, messages: Message[]): void {
  if (title !== undefined) terminal.write(`${terminal.style.bold(title)}\n`);
  terminal.write(recap(messages, terminal));
}

/** Undefined where no worker answers. */
async function answeredInTime<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ANSWER_MS, undefined);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function tellOfLackingWorkers(
  { client }: Place,
  { taskQueue }: OpenedSession,
  conversation: Conversation,
): Promise<void> {
  if ((await pollersOf(client.client, taskQueue)).length > 0) return;
  conversation.note(
    `No worker polls the task queue "${taskQueue}": messages are kept until one does. Start one: holdfast worker <module> --task-queue ${quoted(taskQueue)}`,
  );
}

function howToComeBack(conversation: Conversation, { isOwn }: Serving): void {
  const { write } = terminalOf(process.stderr);
  const { sessionId } = conversation.session;
  if (conversation.isClosed) {
    write(`${afterItsEnd(sessionId)}\n`);
    return;
  }
  const waits = isOwn
    ? 'The turn is not over. Its worker was this chat: it goes on when you come back.'
    : 'The turn is not over, and goes on without you.';
  if (conversation.isBusy) write(`${conversation.isInterrupted ? 'The turn was told to end.' : waits}\n`);
  const back = `Come back: holdfast chat ${quoted(sessionId)}`;
  write(`${conversation.isBegun ? back : 'Nothing was said.'}\n`);
}
