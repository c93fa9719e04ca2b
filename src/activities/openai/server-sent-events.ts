import { type Json, parseJson } from '../../shared/json.js';

/** `done` is the protocol's `[DONE]`; `end` stands after a body that was one whole reply. */
export type StreamEvent = { type: 'data'; value: Json } | { type: 'done' } | { type: 'end' };

/**
 * The events of a stream as JSON, in order; `onBytes` is called for whatever comes, keep-alive comments too. The
 * SDK's own reader is not used: it doesn't show comments or `[DONE]`, waits for the connection's end, loses a last
 * event that has no blank line after it, and prints what it can't read.
 *
 * Takes what gateways send: any line ends, no space after `data:`, no blank lines between events, `error:` as a
 * field, bare JSON lines. Throws a SyntaxError for an event that is not JSON, and what `body` throws; half of an
 * event at the end is dropped.
 */
export async function* streamEvents(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent> {
  const lines = lineSplitter();
  const events = eventAssembler();
  for await (const bytes of body) {
    onBytes();
    for (const line of lines.push(bytes)) {
      const event = events.push(line);
      if (event !== undefined) yield event;
    }
  }
  const last = events.push(lines.rest());
  if (last !== undefined) yield last;
}

function lineSplitter() {
  const decoder = new TextDecoder();
  let rest = '';
  let endedInReturn = false;
  return {
    push(bytes: Uint8Array): string[] {
      let text = decoder.decode(bytes, { stream: true });
      if (text === '') return [];
      if (endedInReturn && text.startsWith('\n')) text = text.slice(1);
      endedInReturn = text.endsWith('\r');
      const lines = text.split(/\r\n|\r|\n/);
      lines[0] = rest + (lines[0] ?? '');
      rest = lines.pop() ?? '';
      return lines;
    },
    rest: () => rest + decoder.decode(),
  };
}

function eventAssembler() {
  let data: string[] = [];
  let isError = false;

  function event(value: Json): StreamEvent {
    const failed = isError;
    data = [];
    isError = false;
    return { type: 'data', value: failed && !hasError(value) ? { error: value } : value };
  }

  function endOfEvent(): StreamEvent | undefined {
    if (data.length === 0) {
      isError = false;
      return undefined;
    }
    return event(JSON.parse(data.join('\n')) as Json);
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
      if (value !== '' || data.length > 0) data.push(value);
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
