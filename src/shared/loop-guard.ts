import {
  type Message,
  type ToolCallBlock,
  type ToolMessage,
  type ToolResultBlock,
  toolCallsOf,
} from './messages.js';
import { isNote, type TurnNote } from './notes.js';

/** How often in a row the same calls may come before the model is told, and before the turn is ended. */
export type LoopGuard = { tellAfter: number; stopAfter: number };

/** The same `steps` rounds came `times` times in a row, the last time just now. */
export type Repetition = { times: number; steps: number; tools: string[] };

type Round = { calls: readonly ToolCallBlock[]; results: ToolMessage | undefined };

/** A round again and again; two that take turns. */
const PERIODS = [1, 2];

/**
 * Whether the transcript ends with the same calls, with the same arguments and the same results, again and again. A round
 * with a call of a tool that may be repeated is none, and what somebody says begins anew.
 */
export function repetitionIn(
  messages: readonly Message[],
  mayRepeat: (tool: string) => boolean,
  most: number,
): Repetition {
  const rounds = latestRounds(messages, mayRepeat, most * Math.max(...PERIODS));
  const found = PERIODS.map((steps): Repetition => {
    const at = rounds.findIndex((round, index) => !isSame(round, rounds[index + steps]));
    const times = rounds.length === 0 ? 0 : Math.floor(at / steps) + 1;
    return { times, steps, tools: toolsOf(rounds.slice(0, steps)) };
  });
  return found.reduce((one, other) => (other.times > one.times ? other : one));
}

export function repeatedNote({ times, steps, tools }: Repetition, { stopAfter }: LoopGuard): TurnNote {
  const what = steps === 1 ? 'the same call' : `the same ${steps} steps`;
  const left = stopAfter - times;
  const end = left === 1 ? 'The next time' : `After ${left} more times`;
  const text = `[You have now made ${what} ${times} times in a row, with the same arguments and the same result: ${tools.join(', ')}. Asking again will tell you nothing new. Do something else, or answer with what you have. ${end} the turn is ended.]`;
  return { kind: 'repeated', text };
}

/** The newest first. */
function latestRounds(
  messages: readonly Message[],
  mayRepeat: (tool: string) => boolean,
  most: number,
): Round[] {
  const rounds: Round[] = [];
  let results: ToolMessage | undefined;
  for (let at = messages.length - 1; at >= 0 && rounds.length < most; at--) {
    const message = messages[at];
    if (message?.role === 'tool') results = message;
    if (!message || message.role === 'tool' || isNote(message)) continue;
    if (message.role !== 'assistant') break;
    const calls = toolCallsOf(message);
    // A plan, between two rounds.
    if (calls.length === 0) continue;
    if (calls.some(({ name }) => mayRepeat(name))) break;
    rounds.push({ calls, results });
  }
  return rounds;
}

function isSame(one: Round, other: Round | undefined): boolean {
  if (one.calls.length !== other?.calls.length) return false;
  const sameCalls = one.calls.every((call, index) => {
    const twin = other.calls[index];
    return call.name === twin?.name && call.arguments === twin.arguments;
  });
  return sameCalls && sayTheSame(one.results?.content ?? [], other.results?.content ?? []);
}

/** Ids are different each time. What is long is not copied to be compared. */
function sayTheSame(results: readonly ToolResultBlock[], others: readonly ToolResultBlock[]): boolean {
  return results.every(({ status, content }, index) => {
    const other = others[index];
    if (status !== other?.status || content.length !== other.content.length) return false;
    return content.every((block, at) => saidIn(block) === saidIn(other.content[at]));
  });
}

function saidIn(block: ToolResultBlock['content'][number] | undefined): string | undefined {
  return block?.type === 'text' ? block.text : (block?.url ?? block?.data);
}

function toolsOf(rounds: readonly Round[]): string[] {
  return [...new Set(rounds.flatMap(({ calls }) => calls.map(({ name }) => name)))].sort();
}
