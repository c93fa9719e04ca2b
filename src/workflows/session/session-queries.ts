import { defineQuery, setHandler } from '@temporalio/workflow';
import { RECEIPT_QUERY } from '../../shared/interventions.js';
import { isJsonObject, jsonBytes } from '../../shared/json.js';
import { shownPrompt } from '../../shared/prompt-parts.js';
import { type SessionState, type SessionTurnsPage, TURNS_QUERY } from '../../shared/session.js';
import type { SendReceipt } from '../../shared/session-requests.js';
import {
  MESSAGES_QUERY,
  type MessagesPage,
  type MessagesPageRequest,
  STATE_QUERY,
} from '../../shared/turn.js';
import { wireLine } from '../../shared/wire-text.js';
import type { SessionRun } from './session-run.js';

const stateQuery = defineQuery<SessionState>(STATE_QUERY);
const turnsQuery = defineQuery<SessionTurnsPage, [unknown]>(TURNS_QUERY);
const messagesQuery = defineQuery<MessagesPage, [Partial<MessagesPageRequest>?]>(MESSAGES_QUERY);
const receiptQuery = defineQuery<SendReceipt | null, [string]>(RECEIPT_QUERY);

const PAGE_BYTES = 900_000;
const SHOWN_QUEUE = 100;

export function answerQueries(run: SessionRun): void {
  setHandler(stateQuery, () => stateOf(run), {
    description: 'What the session is doing, without its messages.',
  });
  setHandler(turnsQuery, (request) => turnsPage(run, request), {
    description: 'The turns that have ended, and the one that runs: {"v":1,"from":0}.',
  });
  setHandler(messagesQuery, (request) => messagesPage(run.transcript, request), {
    description: 'The transcript, packed: {"v":1,"from":0}; with "given":true as the next turn gets it.',
  });
  setHandler(receiptQuery, (id) => run.receipts.known(id) ?? null);
}

function stateOf(run: SessionRun): SessionState {
  const { sessionId, title, metadata, live, queue, turns, turnCount, transcript, usage, input } = run;
  const lastTurn = turns.at(-1);
  return {
    ...{ v: 1, sessionId },
    ...(title !== undefined && { title }),
    ...(metadata && { metadata }),
    phase: run.ended ? 'ended' : live ? 'running' : 'idle',
    ...runningOf(run),
    ...(run.isCutting && { busy: true as const }),
    queue: queue.slice(0, SHOWN_QUEUE).map(({ id, request }) => {
      return { id, agent: request.agent, prompt: wireLine(shownPrompt(request)) };
    }),
    turns: turnCount,
    ...(lastTurn && { lastTurn }),
    messageCount: transcript.count,
    ...compactedOf(run),
    ...(Object.keys(run.limits).length > 0 && { limits: run.limits }),
    ...(run.exceeded && { exceeded: run.exceeded }),
    usage,
    keepsTranscript: input.keepTranscript ?? true,
    ...(input.forkedFrom && { forkedFrom: input.forkedFrom }),
  };
}

function runningOf({ live }: SessionRun): Pick<SessionState, 'running'> {
  if (!live) return {};
  const { turnId, id, agent, startedAt } = live.carried();
  return { running: { turnId, id, agent, startedAt } };
}

function compactedOf({ transcript }: SessionRun): Pick<SessionState, 'compacted'> {
  const { compacted } = transcript;
  if (!compacted) return {};
  return { compacted: { messageCount: compacted.count, ...compacted.compacted } };
}

function turnsPage(run: SessionRun, request: unknown): SessionTurnsPage {
  const first = run.turnCount - run.turns.length;
  const asked = isJsonObject(request) ? request['from'] : undefined;
  const from = Math.min(run.turnCount, Math.max(first, typeof asked === 'number' ? asked : 0));
  let bytes = 0;
  const rest = run.turns.slice(from - first);
  const end = rest.findIndex((turn) => {
    bytes += jsonBytes(turn);
    return bytes > PAGE_BYTES;
  });
  const turns = end < 0 ? rest : rest.slice(0, end);
  return { v: 1, from, turns, total: run.turnCount, ...runningOf(run) };
}

/** The workflow never unpacks its messages: a page is all that is packed, and whoever asks takes from it what it needs. */
function messagesPage(
  { base: whole, compacted }: SessionRun['transcript'],
  request: (Partial<MessagesPageRequest> & { given?: boolean }) | undefined,
): MessagesPage {
  const base = request?.given ? (compacted ?? whole) : whole;
  const from = typeof request?.from === 'number' ? Math.max(0, request.from) : 0;
  const page = { v: 1 as const, from, messages: [], total: base?.count ?? 0, deltaFrom: 0 };
  return { ...page, ...(base && from < base.count && { base }) };
}
