import { FIND_TOOLS } from '../mcp.js';
import type { Covers, Message, ToolResultBlock } from '../messages.js';
import { ASK_USER } from '../people.js';
import { bodyStart, cutFor, isSummary, lastSaid } from './exchanges.js';
import type { CompactionTrigger, TokenRates } from './settings.js';
import { textTokens, tokensOf, tokensOfAll } from './tokens.js';

/** Exchanges that stay as they are, if there is room for them. */
const KEPT_EXCHANGES = 3;
/** What a summary takes at most, about; and what stands for a result that was cleared. */
const SUMMARY_TOKENS = 2000;
const SHORTEST_SUMMARY_TOKENS = 150;
const MARKER_TOKENS = 80;
/** What people have answered; and by what a model is shown tools. */
const KEPT_TOOLS: readonly string[] = [ASK_USER, FIND_TOOLS];
/** One message for another would be no gain. */
const FEWEST_SUMMARISED = 2;

/** Tool results of the messages before `before` are cleared: those of these calls. */
type Clearing = { do: 'clear'; callIds: Set<string> };
/** Messages `from` up to `cut` become one; `said`, where it is among them, stays. */
export type Summarising = { do: 'summarise'; from: number; cut: number; said?: number; maxTokens: number };
export type CompactionPlan = Clearing | Summarising;

export type PlanInput = {
  trigger: CompactionTrigger;
  /** What the messages may take afterwards. */
  room: number;
  rates: TokenRates;
};

/**
 * How a valid transcript becomes smaller: old tool results are cleared if that is enough, else the older part becomes a
 * summary, as much of it as must. Undefined where there is nothing to gain. Whoever asks for it wants a summary.
 */
export function planCompaction(messages: readonly Message[], input: PlanInput): CompactionPlan | undefined {
  const clearing = input.trigger === 'asked' ? undefined : planClearing(messages, input);
  return clearing ?? planSummary(messages, input);
}

function planClearing(messages: readonly Message[], { room, rates }: PlanInput): Clearing | undefined {
  const end = cutFor(messages, KEPT_EXCHANGES) ?? 0;
  const callIds = new Set<string>();
  let left = tokensOfAll(messages, rates);
  for (const message of messages.slice(0, end)) {
    if (message.role !== 'tool') continue;
    for (const result of message.content) {
      const gain = tokensOf({ ...message, content: [result] }, rates) - MARKER_TOKENS;
      if (gain <= 0 || KEPT_TOOLS.includes(result.name) || isCleared(result)) continue;
      callIds.add(result.callId);
      left -= gain;
      if (left <= room) return { do: 'clear', callIds };
    }
  }
  return undefined;
}

function planSummary(messages: readonly Message[], { room, rates }: PlanInput): Summarising | undefined {
  const from = bodyStart(messages);
  const said = lastSaid(messages);
  let best: Summarising | undefined;
  for (let kept = KEPT_EXCHANGES; kept >= 0; kept--) {
    const cut = cutFor(messages, kept);
    if (cut === undefined || cut <= from) continue;
    const isMoved = said >= from && said < cut;
    const old = oldOf(messages, { from, cut, said });
    if (old.length < FEWEST_SUMMARISED) continue;
    const staying = tokensOfAll(messages, rates) - tokensOfAll(old, rates);
    const most = Math.min(SUMMARY_TOKENS, Math.floor(tokensOfAll(old, rates) / 2));
    const maxTokens = Math.max(SHORTEST_SUMMARY_TOKENS, Math.min(most, room - staying));
    best = { do: 'summarise', from, cut, maxTokens, ...(isMoved && { said }) };
    if (staying + maxTokens <= room) return best;
  }
  return best;
}

/** The messages that the summary stands for. */
export function oldOf(
  messages: readonly Message[],
  { from, cut, said }: Pick<Summarising, 'from' | 'cut' | 'said'>,
): Message[] {
  return messages.slice(from, cut).filter((_, index) => from + index !== said);
}

/** With what an earlier summary stands for that is among them. */
export function coversOf(messages: readonly Message[], plan: Summarising): Covers {
  const range = messages.slice(plan.from, plan.cut);
  const [first, last] = [range.at(0), range.at(-1)];
  const earlier = range.find(isSummary)?.covers;
  const to = isSummary(last) ? last.covers.to : last?.id;
  const count = oldOf(messages, plan).length + (earlier ? earlier.count - 1 : 0);
  return { from: earlier?.from ?? first?.id ?? '', to: to ?? '', count };
}

const CLEARED = '[This result was cleared';

/** What stands in the place of a result: what it was, and where all of it is. */
export function clearedText(
  { name, status, content }: ToolResultBlock,
  rates: TokenRates,
  hint: string,
): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const images = content.length - texts.length;
  const size = textTokens(texts.join(''), rates);
  const pictures = images === 0 ? '' : `, ${images} ${images === 1 ? 'image' : 'images'}`;
  return `${CLEARED} to save room: ${name}, ${status}, about ${size} tokens${pictures}; ${hint}]`;
}

function isCleared({ content }: ToolResultBlock): boolean {
  const [first] = content;
  return first?.type === 'text' && first.text.startsWith(CLEARED);
}
