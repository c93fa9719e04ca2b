import { isJsonObject, type Json, parseJson } from '../../shared/json.js';
import { jsonText } from './deep-json.js';
import type { Access } from './openai-client.js';

/** Where a reply came from: what is signed or encrypted there has no meaning, and is often refused, elsewhere. */
export function originOf(access: Access): string {
  return access.baseURL === undefined ? 'api.openai.com' : new URL(access.baseURL).host;
}

/** A value that is to go back unread, as the text of an `opaque`; empty for one that is nested too deep. */
export function toOpaque(origin: string, kind: string, value: Json): string {
  return jsonText({ at: origin, [kind]: value }, '');
}

/** The value again, if it came from this origin and is of this kind. */
export function fromOpaque(opaque: string | undefined, origin: string, kind: string): Json | undefined {
  if (!opaque?.startsWith('{')) return undefined;
  const parsed = parseJson(opaque);
  if (!parsed.ok || !isJsonObject(parsed.value) || parsed.value['at'] !== origin) return undefined;
  return parsed.value[kind];
}
