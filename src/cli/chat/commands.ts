import { writeFileSync } from 'node:fs';
import type { SessionHandle } from '../../client/session-handle.js';
import type { Message } from '../../shared/messages.js';
import { textOf } from '../../shared/messages.js';
import type { TurnUsage } from '../../shared/usage.js';
import { cut, oneLine, table } from '../table.js';
import { safeText } from '../terminal.js';
import { compactionLine } from '../turn-printer.js';
import { costOf } from '../turn-report.js';
import { transcriptMarkdown } from '../turns/transcript-markdown.js';
import type { Conversation } from './conversation.js';

/** What a line that begins with `/` does. */
type ChatCommand = {
  name: string;
  takes?: string;
  does: string;
  run(chat: Conversation, text: string): Promise<void> | void;
};

const COMMANDS: readonly ChatCommand[] = [
  {
    name: 'queue',
    takes: 'TEXT',
    does: 'send it as the next turn, after what runs',
    run: (chat, text) => chat.say(wanted(text, 'queue'), 'queue'),
  },
  {
    name: 'replace',
    takes: 'TEXT',
    does: 'interrupt what runs, and send it',
    run: (chat, text) => chat.say(wanted(text, 'replace'), 'replace'),
  },
  {
    name: 'fork',
    takes: '[TEXT]',
    does: 'go on in a new session with the messages up to now',
    run: fork,
  },
  { name: 'rollback', does: 'forget the last turn; its message can be edited', run: rollback },
  {
    name: 'compact',
    takes: '[FOCUS]',
    does: 'shorten what the model reads of what was said',
    run: compact,
  },
  { name: 'withdraw', does: 'take the last message back that waits for its turn', run: withdraw },
  {
    name: 'transcript',
    takes: '[FILE]',
    does: 'show all messages as Markdown, or write them',
    run: transcript,
  },
  { name: 'usage', does: 'what the session has cost', run: usage },
  { name: 'title', takes: '[TEXT]', does: 'show the title, or change it', run: title },
  {
    name: 'agent',
    takes: '[NAME]',
    does: 'show whom the next message is for, or change it',
    run: (chat, text) => setting(chat, 'agent', text),
  },
  {
    name: 'model',
    takes: '[NAME]',
    does: 'show the model of the next turns, or change it',
    run: (chat, text) => setting(chat, 'model', text),
  },
  { name: 'help', does: 'this', run: (chat) => chat.note(help(chat)) },
  { name: 'exit', does: 'leave; the session stays (also Ctrl-D)', run: () => undefined },
];

/** Runs `/name text`. */
export async function runCommand(chat: Conversation, line: string): Promise<void> {
  const [, name = '', text = ''] = /^\/([a-z]+)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw new ChatProblem(`There is no /${name}. /help lists what there is.`);
  await command.run(chat, text.trim());
}

/** What a person can mend, and reads as one line. */
export class ChatProblem extends Error {
  override readonly name = 'ChatProblem';
}

function wanted(text: string, name: string): string {
  if (text !== '') return text;
  throw new ChatProblem(`/${name} needs a message: /${name} Do the tests first.`);
}

function help({ screen }: Conversation): string {
  const rows = COMMANDS.map(({ name, takes = '', does }) => [`/${name} ${takes}`, does]);
  const keys = [
    ['a line', 'a message; while a turn runs it joins that turn'],
    ['\\ at the end', 'it goes on in another line; a paste is one message'],
    ['Ctrl-C', 'interrupts the turn, or a compaction; once more leaves'],
  ];
  return table([...rows, ...keys], screen.terminal.width ?? 200).trimEnd();
}

async function fork(chat: Conversation, text: string): Promise<void> {
  const { sessionId } = chat.session;
  const { title: before, metadata } = await begun(chat).state();
  const forked = await chat.session.fork('all', {
    title: `${cut(oneLine(before ?? sessionId), 200)} (fork)`,
    ...(metadata && { metadata }),
  });
  const isRunning = chat.isBusy ? ', whose turn goes on there' : '';
  await chat.moveTo(forked);
  chat.note(
    `This is the session ${forked.sessionId} now. The one before${isRunning}: holdfast chat ${sessionId}`,
  );
  if (text !== '') await chat.say(text, 'queue');
}

async function rollback(chat: Conversation): Promise<void> {
  const session = begun(chat);
  if (chat.isBusy) throw new ChatProblem('A turn runs: interrupt it first (Ctrl-C), or wait for it.');
  const [messages, turns] = await Promise.all([session.transcript(), session.turns()]);
  const last = turns.findLast(({ from, count }) => count > 0 && from < messages.length);
  const first = messages[last?.from ?? messages.findLastIndex(({ role }) => role === 'user')];
  if (!first) throw new ChatProblem('There is nothing to forget.');
  const left = await session.rollback({ before: first.id });
  const prompt = first.role === 'user' ? textOf(first) : '';
  chat.note(
    `Forgotten: “${cut(oneLine(prompt), 60)}” and what came of it. ${counted(left, 'message')} left.`,
  );
  chat.screen.edit(prompt);
}

/** By the running turn, or between turns at once. */
async function compact(chat: Conversation, focus: string): Promise<void> {
  const session = begun(chat);
  if (!chat.isBusy) {
    // Until the session has taken the last turn in, it would be asked of that one.
    await session.state();
    chat.remark('  … compacts what was said. Ctrl-C ends that');
  }
  const { status, record, problem } = await chat.compactions.run(() =>
    session.compact(focus === '' ? {} : { focus }),
  );
  if (status === 'passed_on') chat.remark('  ↳ the turn compacts before its next model call');
  else if (status === 'busy') throw new ChatProblem('It is being compacted already.');
  else if (record) chat.remark(`  ${compactionLine(record)}`);
  else chat.remark(`  Nothing was changed${problem === undefined ? '.' : `: ${problem}`}`);
}

async function withdraw(chat: Conversation): Promise<void> {
  const session = begun(chat);
  const { queue } = await session.state();
  const last = queue.findLast(({ id }) => chat.isOwn(id)) ?? queue.at(-1);
  if (!last)
    throw new ChatProblem(
      'No message waits for its turn. One that joins the running turn can not be taken back: Ctrl-C interrupts that.',
    );
  const { status, text } = await chat.withdraw(last.id);
  const line = `“${cut(oneLine(safeText(last.prompt)), 60)}”`;
  if (status === 'unknown') throw new ChatProblem(`${line} is gone already.`);
  if (status !== 'withdrawn') throw new ChatProblem(`It was too late for ${line}: its turn has begun.`);
  chat.note(`Withdrawn: ${line}`);
  if (text !== undefined) chat.screen.edit(text);
}

async function transcript(chat: Conversation, file: string): Promise<void> {
  const session = begun(chat);
  const messages: Message[] = await session.transcript();
  const text = transcriptMarkdown(session.sessionId, messages, 0);
  if (file === '') {
    chat.note(text.trimEnd());
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ChatProblem(`It could not be written: ${error instanceof Error ? error.message : error}`);
  }
  chat.note(`${counted(messages.length, 'message')} written to ${file}.`);
}

async function usage(chat: Conversation): Promise<void> {
  const { usage: spent, turns, messageCount } = await begun(chat).state();
  chat.note(`${counted(turns, 'turn')} · ${counted(messageCount, 'message')} · ${usageLine(spent)}`);
}

/** `3 model calls · 8123 tokens in (4000 cached), 412 out · $0.0210`. */
export function usageLine(spent: TurnUsage): string {
  const { modelCalls, inputTokens, cachedInputTokens, outputTokens } = spent;
  const cached = cachedInputTokens > 0 ? ` (${cachedInputTokens} cached)` : '';
  const known = spent.knownCostUsd === undefined ? '' : ` · more than $${spent.knownCostUsd.toFixed(4)}`;
  const calls = counted(modelCalls, 'model call');
  return `${calls} · ${inputTokens} tokens in${cached}, ${outputTokens} out${costOf(spent)}${known}`;
}

async function title(chat: Conversation, text: string): Promise<void> {
  const session = begun(chat);
  if (text !== '') await session.setTitle(text);
  const shown =
    text === '' ? ((await session.state()).title ?? 'It has none: /title TEXT gives it one.') : text;
  chat.note(shown);
}

function setting(chat: Conversation, name: 'agent' | 'model', text: string): void {
  if (text !== '') chat.asked[name] = text;
  chat.note(`${name}: ${chat.asked[name] ?? "the agent's own"}`);
}

function begun(chat: Conversation): SessionHandle {
  if (chat.isBegun) return chat.session;
  throw new ChatProblem('The session begins with your first message.');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
