import { isJsonObject, parseJson } from '../../shared/json.js';
import type { ImageBlock, Message } from '../../shared/messages.js';
import { jsonText, TOO_DEEP } from './deep-json.js';

/** Providers refuse a message without content. */
export const EMPTY_CONTENT = '(no output)';

/** Several in a row (a steer, a note of an interrupt) go out as one: some models' templates refuse two of a role. */
export function mergeUserMessages(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else merged.push(message);
  }
  return merged;
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** As the model wrote them; what is not a JSON object is kept inside of one, as providers parse arguments. */
export function wireArguments(written: string): string {
  if (written.trim() === '') return '{}';
  const parsed = parseJson(written);
  if (!parsed.ok || !isJsonObject(parsed.value))
    return JSON.stringify({ invalid_json: written.toWellFormed() });
  if (!ESCAPED_SURROGATE.test(written)) return written.toWellFormed();
  const invalid = JSON.stringify({ invalid_json: TOO_DEEP });
  return jsonText(parsed.value, invalid, (_key, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** Where an image is: its own address, or all of it. */
export function imageUrl(block: ImageBlock): string {
  return block.url === undefined ? dataUrl(block) : block.url.toWellFormed();
}

export function dataUrl({ mediaType, data }: { mediaType: string; data: string }): string {
  return `data:${mediaType};base64,${data}`.toWellFormed();
}

/** The text of its text blocks, fit for JSON. */
export function textIn(blocks: readonly { type: string; text?: string }[]): string {
  return blocks
    .map((block) => (block.type === 'text' ? (block.text ?? '') : ''))
    .join('')
    .toWellFormed();
}
