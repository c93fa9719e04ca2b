import { readHistory } from '../client/read-history.js';
import type { TurnHandle } from '../client/turn-handle.js';
import type { TurnEvent } from '../shared/events.js';
import { EXIT_INTERRUPTED } from './exit-codes.js';
import { type Place, withPlace } from './open-client.js';
import { quoted } from './quoted.js';
import { type Terminal, terminalOf } from './terminal.js';
import { TurnPrinter } from './turn-printer.js';
import { printEnd, printJsonEnd } from './turn-report.js';
import { findTurn } from './turns/find-turn.js';
import { pollersOf, startWorker } from './turns/pollers.js';
import { paintStatus } from './turns/turn-table.js';
import { turnLink } from './web-ui.js';

export type WatchOptions = {
  /** The `seq` of the event after which to begin; from now on where it is absent. */
  from?: number;
  json?: boolean;
};

const POLLERS_MS = 15_000;

/**
 * `holdfast watch`: what a turn does from now on, or again from an event on, to its end. Ctrl-C leaves the turn alone.
 * Returns the exit code: of the turn's outcome, or 130.
 */
export async function watchCommand(name: string, options: WatchOptions): Promise<number> {
  const detach = new AbortController();
  const leave = () => detach.abort();
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  // Nobody reads it any more.
  process.stdout.on('error', leave);
  return await withPlace(async (place) => {
    const { workflowId, taskQueue } = await findTurn(place, name);
    const watched = new Watched(place, workflowId, options);
    await watched.attach();
    const stopLooking = watched.closed ? () => {} : watched.tellOfLackingWorkers(taskQueue, detach.signal);
    try {
      for await (const event of watched.turn.events({ after: watched.seq, signal: detach.signal })) {
        watched.print(event);
      }
    } catch (error) {
      if (!detach.signal.aborted) throw error;
    } finally {
      stopLooking();
    }
    return detach.signal.aborted ? watched.detached() : await watched.end();
  });
}

/** What is on the screen of one turn. */
class Watched {
  readonly turn: TurnHandle;
  /** Of the last event that was shown, or left out. */
  seq: number;
  readonly #place: Place;
  readonly #options: WatchOptions;
  readonly #terminal: Terminal = terminalOf(process.stdout);
  readonly #notes: Terminal = terminalOf(process.stderr);
  readonly #printer = new TurnPrinter(this.#terminal);
  /** It had ended before. */
  closed = false;
  #startedAt = 0;
  #endedAt = 0;

  constructor(place: Place, turnId: string, options: WatchOptions) {
    this.turn = place.client.turn(turnId);
    this.seq = options.from ?? 0;
    this.#place = place;
    this.#options = options;
  }

  /** Reads what has happened; without `from` it is left out, except for what runs. */
  async attach(): Promise<void> {
    const { turnId } = this.turn;
    const before: TurnEvent[] = [];
    const fold = await readHistory(this.#place.client.client, turnId, (event) => before.push(event));
    for (const event of before) this.#clock(event);
    const agent = before.find((event) => event.type === 'turn_started')?.agent ?? '';
    const { style } = this.#notes;
    const link = turnLink(this.#place.server, turnId);
    this.closed = fold.closed;
    const status = fold.closed ? 'ended' : 'running';
    const parts = [
      style.dim(`turn ${turnId}`),
      agent,
      paintStatus(this.#notes, status),
      link && style.dim(link),
    ];
    if (!this.#options.json) this.#notes.write(`${parts.filter(Boolean).join(style.dim(' · '))}\n`);
    if (this.#options.from !== undefined) return;
    this.seq = fold.closed ? lastMessage(before) - 1 : fold.seq;
    if (fold.closed) return;
    const running = new Set(fold.pending().map(({ id }) => id));
    for (const event of before) {
      if (event.type === 'tool_started' && running.has(event.callId)) this.print(event);
    }
  }

  print(event: TurnEvent): void {
    this.#clock(event);
    this.seq = Math.max(this.seq, event.seq);
    if (this.#options.json) this.#terminal.write(`${JSON.stringify(event)}\n`);
    else this.#printer.print(event);
  }

  /** Says so while no worker polls the turn's queue: nothing would happen, and nothing would tell why. */
  tellOfLackingWorkers(taskQueue: string, signal: AbortSignal): () => void {
    let lacking = false;
    const look = async () => {
      const pollers = await pollersOf(this.#place.client.client, taskQueue);
      if (signal.aborted) return;
      if (pollers.length === 0 && !lacking) this.#lacking(taskQueue);
      lacking = pollers.length === 0;
    };
    // The watch itself tells of an outage.
    const tryToLook = () => look().catch(() => undefined);
    const timer = setInterval(tryToLook, POLLERS_MS);
    void tryToLook();
    return () => clearInterval(timer);
  }

  detached(): number {
    const { turnId } = this.turn;
    const text = `Detached; the turn goes on. Attach again: holdfast watch ${quoted(turnId)} --from ${this.seq}`;
    const more = `End it: holdfast interrupt ${quoted(turnId)}`;
    this.#notes.write(`\n${text}\n${this.#notes.style.dim(more)}\n`);
    return EXIT_INTERRUPTED;
  }

  async end(): Promise<number> {
    if (this.#options.json) return await printJsonEnd(this.turn);
    const tookMs = this.#endedAt - this.#startedAt;
    return await printEnd(this.#printer, this.turn, this.#place.server, tookMs);
  }

  #lacking(taskQueue: string): void {
    const text = `No worker polls the task queue "${taskQueue}". ${startWorker(taskQueue, this.turn.turnId)}`;
    const { style, write } = this.#notes;
    if (this.#options.json) write(`${text}\n`);
    else this.#printer.note(style.yellow(text));
  }

  #clock({ type, at }: TurnEvent): void {
    if (type === 'turn_started') this.#startedAt = Date.parse(at);
    if (type === 'turn_ended') this.#endedAt = Date.parse(at);
  }
}

/** Of an ended turn the last reply is shown again. */
function lastMessage(events: readonly TurnEvent[]): number {
  return (events.findLast(({ type }) => type === 'message') ?? events.at(-1))?.seq ?? 1;
}
