import { summaryOfBlock } from '../../shared/call-summary.js';
import { type Message, textOf, toolCallsOf } from '../../shared/messages.js';
import { isNote } from '../../shared/notes.js';
import { isInterruptionNote } from '../../shared/opening.js';
import { cut, oneLine } from '../table.js';
import { safeText, type Terminal } from '../terminal.js';

/** What people have said, the last ones. */
const EXCHANGES = 2;

/** The last exchanges of a session, as they were on the screen: prompts, replies, a line for each call. */
export function recap(messages: readonly Message[], { style, width = 200 }: Terminal): string {
  const prompts = messages.flatMap((message, index) => (isSaid(message) ? [index] : []));
  const from = prompts.at(-EXCHANGES) ?? 0;
  const before = prompts.length - EXCHANGES;
  const lines = before > 0 ? [style.dim(`… ${before} more before; /transcript shows all`)] : [];
  const statuses = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map(({ callId, status }) => [callId, status] as const) : [],
    ),
  );
  for (const message of messages.slice(from)) {
    if (message.role === 'user') {
      const text = safeText(textOf(message));
      lines.push(isSaid(message) ? style.bold(`> ${text}`) : style.dim(text));
    }
    if (message.role !== 'assistant') continue;
    const text = safeText(textOf(message)).trimEnd();
    if (text !== '') lines.push(text);
    for (const call of toolCallsOf(message)) {
      const isOk = statuses.get(call.id) === 'ok';
      const summary = cut(oneLine(summaryOfBlock(call)), width - 4);
      lines.push(isOk ? `  ${style.green('✓')} ${summary}` : `  ${style.red('✗')} ${summary}`);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** By a person: Holdfast tells the model things in the user's name, too. */
function isSaid(message: Message): boolean {
  return message.role === 'user' && !isNote(message) && !isInterruptionNote(message);
}

/** What people have asked, the latest first, as the arrow keys bring it back. */
export function promptsOf(messages: readonly Message[]): string[] {
  return messages
    .flatMap((message) => (isSaid(message) ? [textOf(message)] : []))
    .filter((text) => text !== '')
    .reverse();
}
