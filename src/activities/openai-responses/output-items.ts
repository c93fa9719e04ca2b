import { isJsonObject, type Json, type JsonObject, parseJson } from '../../shared/json.js';
import type { ModelPart } from '../../shared/model-port.js';
import { argumentsText } from '../openai/deep-json.js';
import { saysNothing } from '../openai/no-arguments.js';
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

/**
 * A call whose item says nothing of its arguments, with what was `streamed` of them. `mayLack`: some came, in pieces or
 * for nobody, so that without any it is `incomplete`.
 */
export function withArguments(item: JsonObject, streamed: string | undefined, mayLack: boolean): JsonObject {
  if (item['type'] !== 'function_call' || !saysNothing(argumentsText(item['arguments'] ?? ''))) return item;
  if (streamed !== undefined && !saysNothing(streamed)) return { ...item, arguments: streamed };
  return mayLack && !isNothing(streamed) ? { ...item, status: 'incomplete' } : item;
}

/** Streamed, and nothing all the same. */
function isNothing(streamed: string | undefined): boolean {
  return streamed !== undefined && saysNothing(streamed);
}

export function isWholeJson(text: string): boolean {
  return text !== '' && parseJson(text).ok;
}

function listIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
