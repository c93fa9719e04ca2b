import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { TurnEvent } from '../../src/shared/events.js';
import type { Message } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { fault, reply, type Script, type ScriptEntry, text, toolCall } from '../../src/testing/index.js';
import { servedModel } from './agents.js';

export const WINDOW = 3000;
export const long = 'x'.repeat(900);
export const lastPage = (messages: readonly Message[]) =>
  Math.max(-1, ...[...JSON.stringify(messages).matchAll(/page (\d+)/g)].map(([, number]) => Number(number)));
export const isSummary = ({ instructions }: ModelRequest) => instructions.startsWith('You write the memory');
export const tokensIn = ({ instructions, messages, tools }: ModelRequest) =>
  Math.ceil(Buffer.byteLength(JSON.stringify([instructions, messages, tools])) / 4);
export const readPage = (page: number, bytes = 900) => toolCall('read_page', { page, bytes });

export type Answer = (
  messages: readonly Message[],
  request: ModelRequest,
) => ScriptEntry | Promise<ScriptEntry>;
export const summary: Answer = (messages) => text(`Read up to page ${lastPage(messages)}.`);

/** Reads so many pages, two at a time now and then. */
export const pages =
  (count: number): Answer =>
  (messages) => {
    const next = lastPage(messages) + 1;
    if (next >= count) return text('read');
    const both = next % 7 === 3 && next + 1 < count;
    return reply(...(both ? [next, next + 1] : [next]).map((page) => readPage(page)));
  };

/** So many calls, whose results are too short to be worth clearing, with much talk between them. */
export const talk =
  (count: number): Answer =>
  (messages) => {
    const next = lastPage(messages) + 1;
    return next >= count ? text('read') : reply(text(long), readPage(next, 10));
  };

/** A provider with a window: it counts the bytes that it is sent, tells their number, and refuses what is too long. */
export async function provider(answer: Answer, { window = WINDOW, summarise = summary } = {}) {
  const seen = { sizes: [] as number[], summaries: [] as number[], refused: 0 };
  const entry = async (messages: readonly Message[], request: ModelRequest): Promise<ScriptEntry> => {
    const tokens = tokensIn(request);
    if (tokens > window) {
      seen.refused += 1;
      const message = `This model's maximum context length is ${window} tokens. However, your messages have ${tokens}.`;
      return fault({ status: 400, body: { error: { message, code: 'context_length_exceeded' } } });
    }
    (isSummary(request) ? seen.summaries : seen.sizes).push(tokens);
    const made = await (isSummary(request) ? summarise : answer)(messages, request);
    const usage = { inputTokens: tokens, outputTokens: 20 };
    if (made.type === 'reply') return { ...made, usage: made.usage ?? usage };
    return made.type === 'text' || made.type === 'tool_call' ? reply(made, { usage }) : made;
  };
  const script: Script = Array.from({ length: 100 }, () => entry);
  return { seen, ...(await servedModel(script, { stream: false })) };
}

export async function compactionsOf(turn: TurnHandle) {
  const events: TurnEvent[] = [];
  for await (const event of turn.events()) events.push(event);
  return events.filter((event) => event.type === 'compaction');
}
