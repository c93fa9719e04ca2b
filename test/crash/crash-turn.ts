import { writeFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { expect, vi } from 'vitest';
import type { FinishedTurn } from '../../src/client/finished-turn.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { Ledger, LedgerLine } from '../../src/demo/ledger.js';
import type { TurnEvent } from '../../src/shared/events.js';
import type { Message, ToolResultBlock } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { MESSAGES_QUERY, type MessagesPage } from '../../src/shared/turn.js';
import { workflowBundlePath } from '../../src/worker/bundle-path.js';
import { holdfastSinks } from '../../src/worker/sinks.js';
import type { CrashPlace } from './crash-place.js';

/** For what a busy machine may take; nothing waits this long that works. */
const PATIENCE = { timeout: 40_000, interval: 20 };

type Recorded = 'timerStartedEventAttributes' | 'activityTaskTimedOutEventAttributes';

export type Watch = {
  events: TurnEvent[];
  ended: Promise<void>;
  until(type: TurnEvent['type']): Promise<void>;
};

/** A turn that crashes are done to, and what the ledger and the provider know of it. */
export class CrashTurn {
  readonly handle: TurnHandle;
  readonly #place: CrashPlace;
  readonly #ledger: Ledger;
  readonly #release: string;

  constructor(handle: TurnHandle, place: CrashPlace, ledger: Ledger, release: string) {
    this.handle = handle;
    this.#place = place;
    this.#ledger = ledger;
    this.#release = release;
  }

  /** Lets its tools that hold end. */
  release(): void {
    writeFileSync(this.#release, '');
  }

  /** Its lines of the ledger. */
  lines(event: LedgerLine['event'], tool: string): LedgerLine[] {
    return this.#ledger
      .read()
      .filter((line) => line.event === event && line.tool === tool)
      .filter((line) => line.callId.startsWith(`${this.handle.turnId}/`));
  }

  async until(event: LedgerLine['event'], tool: string, count = 1): Promise<void> {
    await vi.waitFor(() => expect(this.lines(event, tool)).toHaveLength(count), PATIENCE);
  }

  /** How often the body of a tool began. */
  runsOf(tool: string): number {
    return this.lines('began', tool).length;
  }

  /** Requests that reached the provider. */
  get modelCalls(): number {
    const { requests } = this.#place.provider;
    return requests.filter(({ body }) => JSON.stringify(body.messages).includes(this.handle.turnId)).length;
  }

  async untilModelCalls(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.modelCalls).toBe(count), PATIENCE);
  }

  /** Resolves when what runs has told this of itself, as the server keeps it. */
  async untilBeat(expectation: (beat: unknown) => void): Promise<void> {
    const handle = this.#place.client.client.workflow.getHandle(this.handle.turnId);
    await vi.waitFor(async () => {
      const { raw } = await handle.describe();
      const [payload] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
      expectation(JSON.parse(Buffer.from(payload?.data ?? []).toString() || 'null'));
    }, PATIENCE);
  }

  /** Resolves when its event history has such an event. */
  async untilHistory(attributes: Recorded): Promise<void> {
    const handle = this.#place.client.client.workflow.getHandle(this.handle.turnId);
    await vi.waitFor(async () => {
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event[attributes])).toBe(true);
    }, PATIENCE);
  }

  /** Its outcome, after what holds of every turn has been asserted, for which a worker is needed. */
  async ended(): Promise<{ outcome: FinishedTurn; results: ToolResultBlock[] }> {
    const outcome = await this.handle.result();
    await this.expectSound();
    return { outcome, results: resultsOf(outcome.messages) };
  }

  /** Its messages are the same by query and rebuilt, and valid; each call is finished once; its history replays. */
  async expectSound(): Promise<void> {
    const { client } = this.#place.client;
    const handle = client.workflow.getHandle(this.handle.turnId);
    const transcript = await this.handle.transcript();
    const page = await handle.query<MessagesPage, [object]>(MESSAGES_QUERY, { v: 1, from: 0 });
    expect(transcript).toEqual(page.messages);
    expect(transcriptProblems(transcript)).toEqual([]);
    const finished = (await this.events()).filter((event) => event.type === 'tool_finished');
    const results = resultsOf(transcript).map(({ callId }) => callId);
    expect(finished.map(({ callId }) => callId).toSorted()).toEqual(results.toSorted());
    await this.expectReplay();
  }

  async expectReplay(): Promise<void> {
    const handle = this.#place.client.client.workflow.getHandle(this.handle.turnId);
    await replay(this.handle.turnId, await handle.fetchHistory());
  }

  /** All of them, from the first on. */
  async events(): Promise<TurnEvent[]> {
    const events: TurnEvent[] = [];
    for await (const event of this.handle.events()) events.push(event);
    return events;
  }

  /** What a watcher sees, kept as it comes. */
  watch(): Watch {
    const events: TurnEvent[] = [];
    const watch = async () => {
      for await (const event of this.handle.events()) events.push(event);
    };
    const ended = watch();
    ended.catch(() => undefined);
    const until = (type: TurnEvent['type']) =>
      vi.waitFor(() => expect(events.map((event) => event.type)).toContain(type), PATIENCE);
    return { events, ended, until };
  }
}

type History = Parameters<typeof Worker.runReplayHistory>[1];

let replays: Promise<void> = Promise.resolve();

/** One after the other: when a replay worker ends it may take the runtime of another one with it (SDK 1.24). */
async function replay(turnId: string, history: History): Promise<void> {
  const workflowBundle = { codePath: workflowBundlePath() };
  const ours = replays
    .catch(() => undefined)
    .then(() => Worker.runReplayHistory({ workflowBundle, sinks: holdfastSinks() }, history, turnId));
  replays = ours;
  await ours;
}

export function resultsOf(messages: readonly Message[]): ToolResultBlock[] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
}
