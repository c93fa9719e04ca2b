import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Agent } from '../define/define-agent.js';
import type { InterruptedReply } from '../shared/activities.js';
import { type ArtifactRef, readRestHint } from '../shared/artifacts.js';
import { clearedPieces, type Piece, summaryPieces, withoutPacked } from '../shared/compaction/pieces.js';
import {
  type CompactionPlan,
  clearedText,
  coversOf,
  oldOf,
  planCompaction,
  type Summarising,
} from '../shared/compaction/plan.js';
import type { CompactionRecord } from '../shared/compaction/settings.js';
import { summaryMessage } from '../shared/compaction/summary-text.js';
import { tokensOfAll } from '../shared/compaction/tokens.js';
import { type CompactInput, type CompactReply, problemLine } from '../shared/compaction/wire.js';
import { jsonBytes } from '../shared/json.js';
import {
  type Covers,
  type Message,
  type ToolMessage,
  type ToolResultBlock,
  textContent,
} from '../shared/messages.js';
import { errorText } from '../shared/wire-text.js';
import { beatWhile } from './heartbeats.js';
import { notHere } from './not-here.js';
import type { ActivityServices } from './services.js';
import { summarise } from './summarise.js';
import { Tries } from './tries.js';

/** A change of less than this is none. */
const LEAST_GAIN = 0.05;
/** Temporal carries 2 MB a payload. */
const MAX_PIECES_BYTES = 1_500_000;
const MAX_STAYING_BYTES = 1_000_000;
const CUT_OFF = 'The summary was cut off by the limit of what its model writes.';

/** What of it the workflow is to be told beside `before`. */
type Result = Partial<CompactionRecord> & { pieces?: Piece[]; spent?: CompactReply['spent'] };

/**
 * Makes a turn's transcript smaller, and tells the workflow how: old tool results are cleared, or a model writes a
 * summary of the older part. Where nothing comes of it the reply says why, and changes nothing. An interrupt ends it.
 */
export async function compactTranscript(
  services: ActivityServices,
  input: CompactInput,
): Promise<CompactReply | InterruptedReply> {
  const context = Context.current();
  const tries = new Tries(context);
  const agent = services.agents.find(input.agent, input.version);
  if (!agent) {
    const failure = notHere(
      'Agent.NotHere',
      `the agent "${input.agent}"`,
      services.agents,
      context.info.attempt,
    );
    throw await tries.failed(failure, undefined);
  }
  const messages = await beating(tries, () => services.transcripts.read(input.transcript));
  return await compactMessages(services, agent, { input, messages, tries });
}

/** Of messages that are at hand. */
export async function compactMessages(
  services: ActivityServices,
  agent: Agent,
  work: Omit<Work, 'scale'>,
): Promise<CompactReply | InterruptedReply> {
  const { input, messages, tries } = work;
  const { trigger, tokens: before, settings } = input;
  // By what the provider has told, its tokens are more or fewer than they seem.
  const guessed = settings.overheadTokens + tokensOfAll(messages, settings.rates);
  const scale = Math.min(4, Math.max(0.25, before / guessed));
  const sizeOf = (list: readonly Message[]) =>
    Math.round((settings.overheadTokens + tokensOfAll(list, settings.rates)) * scale);
  const result = await compacted(services, agent, { ...work, scale });
  if ('interrupted' in result) return result;
  const { pieces, spent, ...told } = checked(result, messages, sizeOf, input);
  return {
    v: 1,
    attempt: tries.told.attempt,
    record: { trigger, before, after: before, ...told, ...timing(tries) },
    ...(pieces && { pieces }),
    ...(spent && { spent }),
  };
}

type Work = {
  input: CompactInput;
  messages: readonly Message[];
  scale: number;
  tries: Tries;
  /** Whole turns of people are what is cut between; default: exchanges. */
  between?: 'turns';
  /** How long this try may take, where its activity is not bounded by that itself. */
  tryMs?: number;
};

async function compacted(
  services: ActivityServices,
  agent: Agent,
  work: Work,
): Promise<Result | InterruptedReply> {
  const { input, messages, scale, tries, tryMs } = work;
  const { packed, settings } = input;
  const room = roomFor(input) / scale - settings.overheadTokens;
  const plan = planWith(room, work);
  if (!plan) return { problem: 'There is nothing in it that could be left out.' };
  if (plan.do === 'clear') {
    const { cleared, notKept } = await beating(tries, () => clear(services, work, plan.callIds));
    const pieces = clearedPieces(messages, cleared);
    return { method: 'cleared', cleared: plan.callIds.size, ...notKept, pieces };
  }
  const old = oldOf(messages, plan);
  const written = await summarise(services, agent, {
    input,
    tries,
    messages: old,
    maxTokens: plan.maxTokens,
    tryMs,
  });
  if ('interrupted' in written) return written;
  const { text, isCut, usage } = written;
  const { spentBefore: spent } = tries;
  const cost = { ...(usage && { usage }), ...(spent && { spent }) };
  if (isCut) return { problem: CUT_OFF, ...cost };
  if (text.trim() === '') return { problem: 'The summary was empty.', ...cost };
  const { covers, notKept } = await beating(tries, () => covering(services, messages, plan));
  const pieces = summaryPieces(messages.length, plan, summaryOf(text, covers));
  return { method: 'summary', covers, ...notKept, pieces: withoutPacked(pieces, messages, packed), ...cost };
}

function planWith(room: number, { input, messages, between }: Work): CompactionPlan | undefined {
  const { trigger, packed, settings } = input;
  const { rates } = settings;
  if (packed === 0) return planCompaction(messages, { trigger, room, rates, ...(between && { between }) });
  // What is packed the workflow can't change in part, and is told what stays of it.
  const plan = planCompaction(messages, { trigger: 'asked', room, rates });
  const isTooMuch =
    plan?.do === 'summarise' && jsonBytes(messages.slice(plan.cut, packed)) > MAX_STAYING_BYTES;
  return isTooMuch ? planCompaction(messages, { trigger: 'asked', room: 0, rates }) : plan;
}

/** How many tokens every request may have afterwards. */
function roomFor({ trigger, tokens, settings }: CompactInput): number {
  const { window, to } = settings;
  const half = tokens / 2;
  if (window === undefined) return half;
  return trigger === 'window' ? window * to : Math.min(window * to, half);
}

/** What is not smaller, or too big to be told, changes nothing. */
function checked(
  { pieces, ...result }: Result,
  messages: readonly Message[],
  sizeOf: (messages: readonly Message[]) => number,
  { tokens: before }: CompactInput,
): Result {
  if (!pieces) return result;
  const { method: _method, covers: _covers, cleared: _cleared, notKept: _notKept, ...unchanged } = result;
  const made = pieces.flatMap((piece) => ('put' in piece ? [piece.put] : messages.slice(...piece.keep)));
  const after = Math.round(before + sizeOf(made) - sizeOf(messages));
  if (after > before * (1 - LEAST_GAIN)) return { ...unchanged, problem: 'It did not get smaller by that.' };
  if (jsonBytes(pieces) > MAX_PIECES_BYTES)
    return { ...unchanged, problem: 'What stays is too much to be carried.' };
  return { ...result, pieces, after: Math.max(0, after) };
}

async function clear(
  { artifacts }: ActivityServices,
  { messages, input }: Work,
  callIds: ReadonlySet<string>,
): Promise<{ cleared: Map<string, ToolMessage>; notKept: NotKept }> {
  const cleared = new Map<string, ToolMessage>();
  let notKept: NotKept = {};
  for (const message of messages) {
    if (message.role !== 'tool' || !message.content.some(({ callId }) => callIds.has(callId))) continue;
    const content = await Promise.all(
      message.content.map(async (result): Promise<ToolResultBlock> => {
        if (!callIds.has(result.callId)) return result;
        const kept = result.artifact ? { artifact: result.artifact } : await keep(artifacts, textOf(result));
        const { artifact } = kept;
        if (!artifact) notKept = kept;
        const hint = artifact ? readRestHint(artifact, 0) : "all of it is in the turn's event history";
        const text = clearedText(result, input.settings.rates, hint);
        // What tells of artifacts by name.
        const told = (result.artifacts ?? []).map(({ blockId }) => blockId);
        const named = result.content.filter((block) => told.includes(block.id));
        const content = [...textContent(`${result.callId}.cleared`, text), ...named];
        return { ...result, content, ...(artifact && { artifact }) };
      }),
    );
    cleared.set(message.id, { ...message, content });
  }
  return { cleared, notKept };
}

function textOf({ content }: ToolResultBlock): Uint8Array {
  return Buffer.from(content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'));
}

/** The messages that a summary stands for, kept for whoever wants to read them. */
async function covering(
  { artifacts }: ActivityServices,
  messages: readonly Message[],
  plan: Summarising,
): Promise<{ covers: Covers; notKept: NotKept }> {
  const lines = oldOf(messages, plan).map((message) => `${JSON.stringify(message)}\n`);
  const { artifact, ...notKept } = await keep(artifacts, Buffer.from(lines.join('')));
  return { covers: { ...coversOf(messages, plan), ...(artifact && { artifact }) }, notKept };
}

type NotKept = Pick<CompactionRecord, 'notKept'>;

/** Where that fails the event history still has it, so the turn goes on, and the record says why the model can't read it. */
async function keep(
  artifacts: ActivityServices['artifacts'],
  content: Uint8Array,
): Promise<{ artifact?: ArtifactRef } & NotKept> {
  try {
    return { artifact: await artifacts.save(content) };
  } catch (error) {
    return { notKept: problemLine(errorText(error)) };
  }
}

function summaryOf(text: string, covers: Covers) {
  const hint = covers.artifact ? `They can be read: ${readRestHint(covers.artifact, 0)}. ` : '';
  return summaryMessage(`c_${randomBytes(6).toString('hex')}`, text.toWellFormed(), covers, hint);
}

/** Stores may be slow. */
async function beating<Result>(tries: Tries, work: () => Promise<Result>): Promise<Result> {
  const details = () => tries.beat({ offset: 0, text: '' }, undefined);
  return await beatWhile(Context.current(), { details }, work);
}

function timing({ told: { attempt: _attempt, ...timing } }: Tries) {
  return timing;
}
