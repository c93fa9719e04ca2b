import { createInterface, type Interface } from 'node:readline/promises';
import type { TurnHandle } from '../../client/turn-handle.js';
import type { OpenRequest } from '../../client/waiting.js';
import { innermost, type TurnEvent } from '../../shared/events.js';
import { isJsonObject, parseJson } from '../../shared/json.js';
import { requestText } from './approvals-command.js';

type Streams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream };

/** Who decides while `holdfast run` shows a turn. */
export type Desk = { hear(event: TurnEvent): void; close(): void };

/**
 * Asks the person at the terminal, one request after the other; one that somebody decides elsewhere is let go. Where there
 * is no terminal it says, once for each, how to decide from another one.
 */
export function deskAt(
  turn: TurnHandle,
  note: (text: string) => void,
  streams: Streams = { input: process.stdin, output: process.stderr },
): Desk {
  return streams.input.isTTY && streams.output.isTTY ? new Asker(turn, note, streams) : new Signpost(note);
}

class Signpost implements Desk {
  readonly #note: (text: string) => void;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  hear(told: TurnEvent): void {
    const event = innermost(told);
    const { turnId } = event;
    if (event.type === 'approval_requested')
      this.#note(
        `    decide with: holdfast approve ${turnId} ${event.callId}   or: holdfast deny ${turnId} ${event.callId}`,
      );
    if (event.type === 'question_asked')
      this.#note(`    answer with: holdfast answer ${turnId} --call ${event.callId} "..."`);
  }

  close(): void {
    // Nothing is open.
  }
}

class Asker implements Desk {
  readonly #turn: TurnHandle;
  readonly #note: (text: string) => void;
  readonly #streams: Streams;
  /** Two turns may have calls of one id. */
  readonly #waiting = new Map<string, OpenRequest>();
  /** What is being asked, and what ends it. */
  #asking: { request: OpenRequest; stop: AbortController } | undefined;

  constructor(turn: TurnHandle, note: (text: string) => void, streams: Streams) {
    this.#turn = turn;
    this.#note = note;
    this.#streams = streams;
  }

  hear(told: TurnEvent): void {
    const event = innermost(told);
    if (event.type === 'approval_requested' || event.type === 'question_asked') {
      this.#waiting.set(keyOf(event), event);
      this.#askSoon();
    } else if (event.type === 'decided' || event.type === 'tool_finished') {
      this.#drop((request) => keyOf(request) === keyOf(event));
    } else if (event.type === 'turn_ended') this.#drop(({ turnId }) => turnId === event.turnId);
  }

  #drop(isOver: (request: OpenRequest) => boolean): void {
    for (const [key, request] of this.#waiting) if (isOver(request)) this.#waiting.delete(key);
    if (this.#asking && isOver(this.#asking.request)) this.#asking.stop.abort();
  }

  close(): void {
    this.#waiting.clear();
    this.#asking?.stop.abort();
  }

  /** What else has happened is shown first. */
  #askSoon(): void {
    setImmediate(() => this.#askNext());
  }

  #askNext(): void {
    const [request] = this.#waiting.values();
    if (this.#asking || !request) return;
    const stop = new AbortController();
    this.#asking = { request, stop };
    this.#ask(request, stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) this.#note(`It could not be decided: ${String(error)}`);
      })
      .finally(() => {
        this.#asking = undefined;
        this.#waiting.delete(keyOf(request));
        this.#askSoon();
      });
  }

  async #ask(request: OpenRequest, signal: AbortSignal): Promise<void> {
    this.#note(requestText(request, this.#turn.turnId).trimEnd());
    const lines = createInterface(this.#streams);
    // A terminal in raw mode gives the key to readline, and no signal to the process.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      if (request.type === 'question_asked') await this.#answer(request, lines, signal);
      else await this.#decide(request, lines, signal);
    } finally {
      lines.close();
    }
  }

  async #answer(
    request: Extract<OpenRequest, { type: 'question_asked' }>,
    lines: Interface,
    signal: AbortSignal,
  ) {
    const said = await lines.question('answer> ', { signal });
    const chosen = request.choices?.[Number(said) - 1];
    await this.#turnOf(request).answer(request.callId, chosen ?? said);
  }

  #turnOf({ turnId }: OpenRequest): TurnHandle {
    return turnId === this.#turn.turnId ? this.#turn : this.#turn.subAgent(turnId);
  }

  async #decide(
    request: Extract<OpenRequest, { type: 'approval_requested' }>,
    lines: Interface,
    signal: AbortSignal,
  ) {
    const { callId, always } = request;
    const turn = this.#turnOf(request);
    const more = always.length > 0 ? ', a always for this turn' : '';
    for (;;) {
      const said = (await lines.question(`y yes, n no${more}, e edit> `, { signal })).trim().toLowerCase();
      if (said === 'y' || said === 'yes') return await turn.approve(callId);
      if (always.length > 0 && (said === 'a' || said === 'always'))
        return await turn.approve(callId, { always: true });
      if (said === 'n' || said === 'no') {
        const reason = (await lines.question('why (the model reads it; may be empty)> ', { signal })).trim();
        return await turn.deny(callId, reason === '' ? {} : { reason });
      }
      if (said !== 'e' && said !== 'edit') continue;
      const edited = await this.#edited(request, lines, signal);
      if (edited) return await turn.approve(callId, { arguments: edited });
    }
  }

  async #edited(
    { input }: Extract<OpenRequest, { type: 'approval_requested' }>,
    lines: Interface,
    signal: AbortSignal,
  ) {
    const asked = lines.question('arguments> ', { signal });
    lines.write(JSON.stringify(input));
    const parsed = parseJson(await asked);
    if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
    this.#note(parsed.ok ? 'That is no JSON object.' : `That is no JSON: ${parsed.problem}`);
    return undefined;
  }
}

function keyOf({ turnId, callId }: { turnId: string; callId: string }): string {
  return `${turnId} ${callId}`;
}
