import { Worker } from '@temporalio/worker';
import { expect, onTestFinished, vi } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { StartOptions } from '../../src/client/agent-client.js';
import { TurnFailed } from '../../src/client/errors.js';
import type { FinishedTurn } from '../../src/client/finished-turn.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { dataConverter } from '../../src/codec/data-converter.js';
import type { AgentOptions, AnyTool } from '../../src/define/define-agent.js';
import type { TurnEvent } from '../../src/shared/events.js';
import type { Receipt } from '../../src/shared/interventions.js';
import { type Message, type ToolResultBlock, textOf } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { MESSAGES_QUERY, type MessagesPage } from '../../src/shared/turn.js';
import {
  type Script,
  type ServedModel,
  type ServeOptions,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { type RunningWorker, withWorker } from '../../src/testing/test-environment.js';
import { workflowBundlePath } from '../../src/worker/bundle-path.js';
import { holdfastSinks } from '../../src/worker/sinks.js';
import type { HoldfastWorkerOptions } from '../../src/worker.js';
import { afterFile } from '../support/after-file.js';
import { agentWith } from '../turn/agents.js';

export type Case = {
  script: Script;
  tools?: readonly AnyTool[];
  agent?: Partial<AgentOptions>;
  turn?: StartOptions;
  serve?: ServeOptions;
  worker?: Partial<HoldfastWorkerOptions>;
  /** A turn that was started before there was a worker. */
  started?: TurnHandle;
};

export type RunningCase = Omit<RunningWorker, 'start'> & { turn: TurnHandle; server: ServedModel };

export type EndedTurn = {
  /** Of a turn that has one. */
  outcome: FinishedTurn | undefined;
  /** Of one that has none: it failed or was canceled. */
  failure: TurnFailed | undefined;
  transcript: Message[];
  results: ToolResultBlock[];
  events: TurnEvent[];
  /** Of this turn alone. */
  modelCalls: number;
};

type History = Parameters<typeof Worker.runReplayHistory>[1];

/** Of a file's turns, which are replayed together at its end: a worker for each is dear. */
const histories: { workflowId: string; history: History }[] = [];

function replayAfterFile(workflowId: string, history: History): void {
  if (histories.push({ workflowId, history }) === 1) afterFile(replayHistories);
}

async function replayHistories(): Promise<void> {
  const workflowBundle = { codePath: workflowBundlePath() };
  const options = { workflowBundle, sinks: holdfastSinks(), dataConverter: dataConverter() };
  const replayed = Worker.runReplayHistories(options, histories.splice(0));
  const problems = (await collected(replayed)).flatMap(({ error }) => error ?? []);
  expect(problems).toEqual([]);
}

const NEXT_PROMPT = 'go on';

/** The script, and answers for the turn after the one under test, wherever in the script that one ended. */
function withNextTurn(script: Script): Script {
  const answer = text('the next turn');
  const either = script.map((entry): Script[number] => (messages, request) => {
    const last = messages.at(-1);
    if (last?.role === 'user' && textOf(last).endsWith(NEXT_PROMPT)) return answer;
    return typeof entry === 'function' ? entry(messages, request) : entry;
  });
  return [...either, answer, answer, answer, answer];
}

/**
 * Runs a turn beside a provider that refuses what real ones refuse, does to it what `use` does, waits for its end, and
 * asserts what holds of every ended turn, however it ended: see `expectSound`.
 */
export async function endedTurn(
  { script, tools = [], agent = {}, turn: options, serve, worker, started }: Case,
  use: (running: RunningCase) => Promise<unknown>,
): Promise<EndedTurn> {
  const server = await serveScriptedModel(withNextTurn(script), { strict: true, ...serve });
  onTestFinished(() => server.close());
  const model = openai({ baseURL: server.url, apiKey: 'k', model: 'scripted' });
  return await withWorker(
    agentWith(tools, { model, ...agent }),
    async (running) => {
      const turn = started ?? (await running.start('hello', options));
      await use({ ...running, turn, server });
      const ended = await turn.result().catch(onlyTurnFailed);
      const modelCalls = server.requests.length;
      const { transcript, events } = await expectSound(turn, running, server);
      return {
        outcome: ended instanceof TurnFailed ? undefined : ended,
        failure: ended instanceof TurnFailed ? ended : undefined,
        transcript,
        results: resultsOf(transcript),
        events,
        modelCalls,
      };
    },
    worker,
  );
}

/**
 * Its messages are the same by query and rebuilt from the event history; a provider takes them, with a next prompt
 * behind them; each tool call was started once at most and finished once. Its history is kept, to be replayed.
 */
async function expectSound(
  turn: TurnHandle,
  { client, start }: RunningWorker,
  server: ServedModel,
): Promise<{ transcript: Message[]; events: TurnEvent[] }> {
  const transcript = await turn.transcript();
  const handle = client.client.workflow.getHandle(turn.turnId);
  const page = await handle.query<MessagesPage, [object]>(MESSAGES_QUERY, { v: 1, from: 0 });
  expect(transcript).toEqual(page.messages);
  expect(transcriptProblems(transcript)).toEqual([]);

  const events = await collected(turn.events());
  const results = resultsOf(transcript.slice(page.deltaFrom)).map(({ callId }) => callId);
  expect(callsIn(events, 'tool_finished').toSorted()).toEqual(results.toSorted());
  expect(new Set(callsIn(events, 'tool_started')).size).toBe(callsIn(events, 'tool_started').length);
  expect(events.at(-1)?.type).toBe('turn_ended');

  replayAfterFile(turn.turnId, await handle.fetchHistory());
  const next = await start(NEXT_PROMPT, { transcript });
  expect((await next.result()).type).toBe('completed');
  expect(server.refusals).toEqual([]);
  return { transcript, events };
}

function onlyTurnFailed(error: unknown): TurnFailed {
  if (error instanceof TurnFailed) return error;
  throw error;
}

function callsIn(events: readonly TurnEvent[], type: 'tool_started' | 'tool_finished'): string[] {
  return events.flatMap((event) => (event.type === type ? [event.callId] : []));
}

export function resultsOf(messages: readonly Message[]): ToolResultBlock[] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Resolves at the first event of the turn that fits; goes on listening for nothing. */
export async function untilEvent<Type extends TurnEvent['type']>(
  turn: TurnHandle,
  type: Type,
): Promise<Extract<TurnEvent, { type: Type }>> {
  for await (const event of turn.events()) {
    if (event.type === type) return event as Extract<TurnEvent, { type: Type }>;
  }
  throw new Error(`The turn ended without the event ${type}.`);
}

/** For what a busy machine may take; nothing waits this long that works. */
export const PATIENCE = { timeout: 20_000, interval: 20 };

/** Resolves when the provider has been asked so often. */
export async function untilAsked(server: ServedModel, count: number): Promise<void> {
  await vi.waitFor(() => expect(server.requests).toHaveLength(count), PATIENCE);
}

export async function untilReceipt(turn: TurnHandle, id: string, status: Receipt['status']): Promise<void> {
  await vi.waitFor(async () => expect(await turn.receipt(id)).toMatchObject({ status }), PATIENCE);
}

/** `user`, `assistant`, `tool`, with a `*` where the message is a note of an interrupt or a text that was cut. */
export function shapeOf(messages: readonly Message[]): string {
  return messages
    .map((message) => {
      const [first] = message.content;
      const isCut = first?.type === 'text' && first.partial === true;
      const isNote = message.id.startsWith('n_');
      return `${message.role}${isCut ? ' (cut)' : ''}${isNote ? ' (note)' : ''}`;
    })
    .join(', ');
}
