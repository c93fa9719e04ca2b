import { reply, type Script, text, toolCall } from 'holdfast/testing';
import type { PlannedRound } from './plan.js';

type Messages = Parameters<Extract<Script[number], (...args: never) => unknown>>[0];

export const AGENT = 'chaos';
/** Of one conversation, a session's with all its turns. */
const MOST_REPLIES = 50_000;
const MARK = 'PLAN ';

/** What the model is to do is in the prompt, so that its replies depend on the conversation alone. */
export function promptOf(rounds: readonly PlannedRound[]): string {
  return `Do what the plan says.\n${MARK}${JSON.stringify(rounds)}`;
}

/** The model of every turn: one reply for each round of the plan, then, for as long as it is asked, a last one. */
export const script: Script = Array<Script[number]>(MOST_REPLIES).fill((messages) => {
  if (messages.some(asksForSummary)) return text('What was said before, in short.');
  const planAt = messages.findLastIndex((message) => planIn(message) !== undefined);
  const plan = messages[planAt];
  const rounds = plan ? planIn(plan) : undefined;
  const round = messages.slice(planAt).filter((message) => message.role === 'assistant').length;
  const planned = rounds?.[round];
  if (!planned) return text('All of the plan is done.');
  const calls = planned.calls.map(({ tool, ms }) => toolCall(tool, { ms }));
  return reply(text(`Round ${round + 1}.`), ...calls, { delayMs: planned.delayMs });
});

/** A compaction's own call: the conversation is one text, and is not to be carried on. */
function asksForSummary(message: Messages[number]): boolean {
  return message.role === 'user' && writtenIn(message).startsWith('<conversation>');
}

function writtenIn({ content }: Extract<Messages[number], { role: 'user' }>): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function planIn(message: Messages[number]): PlannedRound[] | undefined {
  if (message.role !== 'user') return undefined;
  const line = writtenIn(message)
    .split('\n')
    .find((each) => each.startsWith(MARK));
  return line === undefined ? undefined : (JSON.parse(line.slice(MARK.length)) as PlannedRound[]);
}
