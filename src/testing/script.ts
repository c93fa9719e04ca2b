import type { Json, JsonObject } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import type { ModelRequest } from '../shared/model-port.js';
import type { Usage } from '../shared/turn.js';

export type ScriptedPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** Without an `id` it gets `call_<reply>_<part>`, the same in each try. */
  | { type: 'tool_call'; id?: string; name: string; arguments: string };

export type ReplyOptions = {
  /** The wire's finish reason; without it `tool_calls` where there are calls, else `stop`. */
  finish?: string | null;
  /** Without it an estimate, four characters a token; `null` is a provider that tells none. */
  usage?: Usage | null;
  /** Before the first piece. `Infinity` waits until the call is aborted. */
  delayMs?: number;
};

export type ScriptedReply = ReplyOptions & { type: 'reply'; parts: readonly ScriptedPart[] };

export type FaultOptions = {
  /** An error answer with this HTTP status; with `afterChars`, an error frame in the middle of a stream. */
  status?: number;
  /** Its body: text as it is, anything else as JSON. Without it, one that fits the status. */
  body?: Json;
  /** The `Retry-After` header, seconds or any text. */
  retryAfter?: number | string;
  headers?: Record<string, string>;
  /** How much of `text` streams before the fault. */
  afterChars?: number;
  text?: string;
  /** The stream ends without its ending: `true` as a broken connection, `'clean'` as a closed one. */
  cut?: true | 'clean';
  /** Before anything else. `Infinity` never answers. */
  delayMs?: number;
};

export type Fault = FaultOptions & { type: 'fault' };

/** Bytes that only {@link serveScriptedModel} can send. */
export type RawAnswer = {
  type: 'raw';
  /** Each piece is one chunk on the wire. */
  pieces: readonly Uint8Array[];
  status: number;
  headers: Record<string, string>;
  /** After the last piece: `close` ends the answer, `cut` breaks the connection, `open` leaves it hanging. */
  ending: 'close' | 'cut' | 'open';
};

export type RawOptions = Partial<Pick<RawAnswer, 'status' | 'headers' | 'ending'>>;

/** What one try of a model call gives. A part alone is a reply of one part. */
export type ScriptedAnswer = ScriptedPart | ScriptedReply | Fault | RawAnswer;

/** What consecutive tries of the same model call give; the last one stays. */
export type Attempts = { type: 'attempts'; tries: readonly ScriptedAnswer[] };

export type ScriptEntry = ScriptedAnswer | Attempts;

/** One entry for each model call of a conversation, in order; a function decides by what the model is sent. */
export type Script = readonly (
  | ScriptEntry
  | ((messages: readonly Message[], request: ModelRequest) => ScriptEntry | Promise<ScriptEntry>)
)[];

export function text(content: string): ScriptedPart {
  return { type: 'text', text: content };
}

export function reasoning(content: string): ScriptedPart {
  return { type: 'reasoning', text: content };
}

/** `args` given as a string goes out as it is, so that broken JSON can be written. */
export function toolCall(
  name: string,
  args: JsonObject | string = {},
  options: { id?: string } = {},
): ScriptedPart {
  const written = typeof args === 'string' ? args : JSON.stringify(args);
  return { type: 'tool_call', ...options, name, arguments: written };
}

/** Several parts in one reply; an object without a `type` holds its options: `reply(text('a'), { finish: 'length' })`. */
export function reply(...parts: readonly (ScriptedPart | ReplyOptions)[]): ScriptedReply {
  const made: ScriptedReply = { type: 'reply', parts: parts.filter(isPart) };
  return Object.assign(made, ...parts.filter((part) => !isPart(part)));
}

function isPart(part: ScriptedPart | ReplyOptions): part is ScriptedPart {
  return 'type' in part;
}

/** A provider that fails. Without a `status` the connection breaks. */
export function fault(options: FaultOptions): Fault {
  return { ...options, type: 'fault' };
}

/** `attempts(fault({ status: 503 }), text('Hello'))`: the first try fails, the second answers. */
export function attempts(...tries: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): Attempts {
  return { type: 'attempts', tries };
}

/** Exactly these bytes, each piece a chunk of its own. */
export function rawBytes(pieces: readonly (string | Uint8Array)[], options: RawOptions = {}): RawAnswer {
  const encoder = new TextEncoder();
  return {
    type: 'raw',
    status: 200,
    ending: 'close',
    ...options,
    pieces: pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)),
    headers: { 'content-type': 'text/event-stream', ...options.headers },
  };
}

/** Each chunk as one `data:` event; a string goes in as it is (`'[DONE]'`), anything else as JSON. */
export function rawChunks(chunks: readonly unknown[], options: RawOptions = {}): RawAnswer {
  const events = chunks.map(
    (chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  return rawBytes(events, options);
}
