import { type Json, parseJson } from '../../shared/json.js';

/** `done` is the protocol's `[DONE]`; `end` stands after a body that was one whole reply. */
export type StreamEvent = { type: 'data'; value: Json } | { type: 'done' } | { type: 'end' };

/**
 * The events of a stream as JSON, in order; `onSign` is called with whatever comes. The SDK's own reader is not used: it doesn't show comments or `[DONE]`, waits for the connection's end, loses a last
 * event that has no blank line after it, and prints what it can't read.
 *
 * Takes what gateways send: any line ends, no space after `data:`, no blank lines between events, `error:` as a
 * field, errors in plain words, bare JSON lines, and bare words between the events (`data: ping`). Throws a SyntaxError for an event that is
 * neither, and for a stream of nothing but words; and what `body` throws. Half of an event at the end is dropped.
 */
export async function* streamEvents(
  body: AsyncIterable<Uint8Array>,
  onSign: (sign: 'event' | 'comment') => void,
): AsyncGenerator<StreamEvent> {
  const lines = lineSplitter();
  const events = eventAssembler();
  for await (const bytes of body) {
    const whole = lines.push(bytes);
    onSign(lines.restIsComment() && whole.every(isComment) ? 'comment' : 'event');
    for (const line of whole) {
      const event = events.push(line);
      if (event !== undefined) yield event;
    }
  }
  const last = events.push(lines.rest()) ?? events.end();
  if (last !== undefined) yield last;
}

/** Or a blank line, which may stand after one. */
function isComment(line: string): boolean {
  return line === '' || line.startsWith(':');
}

function lineSplitter() {
  const decoder = new TextDecoder();
  let rest = '';
  let endedInReturn = false;
  let restIsComment = true;
  return {
    push(bytes: Uint8Array): string[] {
      let text = decoder.decode(bytes, { stream: true });
      if (text === '') return [];
      if (endedInReturn && text.startsWith('\n')) text = text.slice(1);
      endedInReturn = text.endsWith('\r');
      const lines = text.split(/\r\n|\r|\n/);
      // Of a long line that grows only its beginning is looked at, once.
      if (rest === '' || lines.length > 1) restIsComment = isComment(lines.at(-1) ?? '');
      lines[0] = rest + (lines[0] ?? '');
      rest = lines.pop() ?? '';
      return lines;
    },
    rest: () => rest + decoder.decode(),
    restIsComment: () => restIsComment,
  };
}

/** What is sent to keep a connection open. Half of an event is none: it has a quote or a brace. */
const BARE_WORD = /^[\w .:-]{1,32}$/;

function eventAssembler() {
  let data: string[] = [];
  let isError = false;
  let hasEvents = false;
  let word: string | undefined;

  function event(value: Json): StreamEvent {
    const failed = isError;
    hasEvents = true;
    data = [];
    isError = false;
    return { type: 'data', value: failed && !hasError(value) ? { error: value } : value };
  }

  function endOfEvent(): StreamEvent | undefined {
    if (data.length === 0) {
      isError = false;
      return undefined;
    }
    const text = data.join('\n');
    const json = isError ? parseJson(text) : undefined;
    if (json !== undefined && !json.ok) return event({ message: text });
    return event(JSON.parse(text) as Json);
  }

  return {
    /** One line without its end. An event that is whole JSON on one line is given at once. */
    push(line: string): StreamEvent | undefined {
      if (line === '') return endOfEvent();
      const { field, value } = parseLine(line);
      if (field === 'event') isError = value === 'error';
      if (field === 'error') isError = true;
      if (field !== 'data' && field !== 'error') return undefined;
      if (value.trim() === '[DONE]') return { type: 'done' };
      const json = data.length === 0 ? parseJson(value) : undefined;
      if (json?.ok) return event(json.value);
      if (data.length === 0 && BARE_WORD.test(value)) {
        if (isError) return event({ message: value });
        word ??= value;
        return undefined;
      }
      if (value !== '' || data.length > 0) data.push(value);
      return undefined;
    },
    /** An error in words needs no blank line after it. */
    end(): StreamEvent | undefined {
      const isHalf = data.length === 0 || /^[{[]/.test(data[0] ?? '');
      if (isError && !isHalf) return endOfEvent();
      if (!hasEvents && word !== undefined) throw new SyntaxError(`"${word}" is no event`);
      return undefined;
    },
  };
}

function parseLine(line: string): { field: string; value: string } {
  if (line.startsWith('{')) return { field: 'data', value: line };
  const colon = line.indexOf(':');
  if (colon < 0) return { field: line, value: '' };
  return { field: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') };
}

function hasError(value: Json): boolean {
  return typeof value === 'object' && value !== null && 'error' in value;
}
