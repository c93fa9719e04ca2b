import { createInterface } from 'node:readline/promises';
import type { TurnHandle } from '../../client/turn-handle.js';
import type { OpenRequest } from '../../client/waiting.js';
import { innermost, type TurnEvent } from '../../shared/events.js';
import { isJsonObject, parseJson } from '../../shared/json.js';
import { safeText } from '../terminal.js';
import { requestText } from './approvals-command.js';

const WHY = 'why (the model reads it; may be empty)> ';

type Streams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream };

/** Where a person is asked: lines that they type, one for each prompt. */
export type AskedLines = {
  question(prompt: string, options: { signal: AbortSignal }): Promise<string>;
  /** Puts a text into the line that is typed. */
  write(text: string): void;
  /** Puts a text there for after the questions, where there is a line then. */
  keep?(text: string): void;
  close(): void;
};

type Asking = {
  open(): AskedLines;
  /** How long an "always" holds: `this turn`. */
  always: string;
};

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
  if (!streams.input.isTTY || !streams.output.isTTY) return new Signpost(note);
  return new Asker(turn, note, { open: () => openLines(streams), always: 'this turn' });
}

/** As {@link deskAt}, where the lines are somebody else's. */
export function deskWith(turn: TurnHandle, note: (text: string) => void, asking: Asking | undefined): Desk {
  return asking ? new Asker(turn, note, asking) : new Signpost(note);
}

function openLines(streams: Streams): AskedLines {
  const lines = createInterface(streams);
  // A terminal in raw mode gives the key to readline, and no signal to the process.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  return lines;
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
  readonly #asks: Asking;
  /** Two turns may have calls of one id. */
  readonly #waiting = new Map<string, OpenRequest>();
  /** What is being asked, and what ends it. */
  #asking: { request: OpenRequest; stop: AbortController } | undefined;

  constructor(turn: TurnHandle, note: (text: string) => void, asks: Asking) {
    this.#turn = turn;
    this.#note = note;
    this.#asks = asks;
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
    const lines = this.#asks.open();
    try {
      if (request.type === 'question_asked') await this.#answer(request, lines, signal);
      else await this.#decide(request, lines, signal);
    } finally {
      lines.close();
    }
  }

  async #answer(
    request: Extract<OpenRequest, { type: 'question_asked' }>,
    lines: AskedLines,
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
    lines: AskedLines,
    signal: AbortSignal,
  ) {
    const { callId, always } = request;
    const turn = this.#turnOf(request);
    const more = always.length > 0 ? `, a always for ${this.#asks.always}` : '';
    for (;;) {
      const typed = await lines.question(`y yes, n no${more}, e edit> `, { signal });
      const said = decisionIn(typed, always.length > 0);
      if (said.kind === 'approve') return await turn.approve(callId, said.always ? { always: true } : {});
      if (said.kind === 'deny') {
        const reason = said.reason ?? (await lines.question(WHY, { signal })).trim();
        return await turn.deny(callId, reason === '' ? {} : { reason });
      }
      if (said.kind === 'edit') {
        const edited = await this.#edited(request, lines, signal);
        if (edited) return await turn.approve(callId, { arguments: edited });
      } else if (typed.trim() !== '') {
        const kept = lines.keep ? ' It was not sent, and stands in the line again after your answer.' : '';
        const hint = 'Type one of the letters; n REASON tells the model why not.';
        this.#note(`“${safeText(typed.trim())}” is no answer.${kept} ${hint}`);
        lines.keep?.(typed);
      }
    }
  }

  async #edited(
    { input }: Extract<OpenRequest, { type: 'approval_requested' }>,
    lines: AskedLines,
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

type Decision =
  | { kind: 'approve'; always: boolean }
  | { kind: 'deny'; reason?: string }
  | { kind: 'edit' | 'none' };

/** `n not now` denies with a reason. */
export function decisionIn(typed: string, mayAlways: boolean): Decision {
  const [, word = '', rest = ''] = /^([a-z]+)[,:;.]*(?:\s+([\s\S]+))?$/i.exec(typed.trim()) ?? [];
  const name = word.toLowerCase();
  if (name === 'n' || name === 'no') return { kind: 'deny', ...(rest !== '' && { reason: rest }) };
  if (rest !== '') return { kind: 'none' };
  if (name === 'y' || name === 'yes') return { kind: 'approve', always: false };
  if (mayAlways && (name === 'a' || name === 'always')) return { kind: 'approve', always: true };
  return { kind: name === 'e' || name === 'edit' ? 'edit' : 'none' };
}

function keyOf({ turnId, callId }: { turnId: string; callId: string }): string {
  return `${turnId} ${callId}`;
}
