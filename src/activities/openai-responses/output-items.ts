import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { ModelPart } from '../../shared/model-port.js';
import { argumentsText } from '../openai/deep-json.js';
import { toOpaque } from '../openai/origin.js';
import { ITEM, PHASE } from './to-input-items.js';

/** An output item as parts of ours. One that we don't know is kept unread, and goes back as it came. */
export function partsOfItem(item: JsonObject, origin: string): ModelPart[] {
  switch (item['type']) {
    case 'message': {
      const text = textOfItem(item);
      const phase = plain(item['phase']);
      const opaque = phase === '' ? {} : { opaque: toOpaque(origin, PHASE, phase) };
      return text === '' ? [] : [{ type: 'text', text, ...opaque }];
    }
    case 'function_call':
      return [callOf(item)];
    case 'reasoning':
      return [reasoningOf(item, origin)];
    default:
      return [{ type: 'reasoning', text: '', opaque: toOpaque(origin, ITEM, item) }];
  }
}

function callOf(item: JsonObject): ModelPart {
  const written = item['arguments'] ?? '';
  return {
    type: 'tool_call',
    id: plain(item['call_id']) || plain(item['id']),
    name: plain(item['name']),
    arguments: argumentsText(written),
  };
}

/** It goes back only where it came with what makes that possible: nothing is stored, so an id alone is refused. */
function reasoningOf(item: JsonObject, origin: string): ModelPart {
  const thoughts = listIn(item['content']);
  const text = [...listIn(item['summary']), ...thoughts].map((part) => plain(part['text'])).join('\n\n');
  if (!item['encrypted_content'] && thoughts.length === 0) return { type: 'reasoning', text };
  const fields = ['type', 'id', 'summary', ...(thoughts.length > 0 ? ['content'] : []), 'encrypted_content'];
  const kept = Object.fromEntries(fields.flatMap((field) => (item[field] ? [[field, item[field]]] : [])));
  return {
    type: 'reasoning',
    text,
    opaque: toOpaque(origin, ITEM, { ...kept, summary: item['summary'] ?? [] }),
  };
}

/** The text of a message, a refusal's too. */
export function textOfItem(item: JsonObject): string {
  return listIn(item['content'])
    .map((part) => plain(part['text']) || plain(part['refusal']))
    .join('');
}

export function isRefused(item: JsonObject): boolean {
  return item['type'] === 'message' && listIn(item['content']).some((part) => part['type'] === 'refusal');
}

/** A call that is marked as cut, or whose arguments never came, is not to be run. */
export function isWhole(item: JsonObject): boolean {
  return item['type'] !== 'function_call' || !['incomplete', 'in_progress'].includes(plain(item['status']));
}

function listIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
