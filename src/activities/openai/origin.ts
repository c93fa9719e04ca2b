import { isJsonObject, type Json, parseJson } from '../../shared/json.js';
import type { ModelRequest } from '../../shared/model-port.js';
import { isOpenAi } from './access.js';
import { jsonText } from './deep-json.js';
import type { Access } from './openai-client.js';

/** The server that is asked, whatever models it has. */
export function hostOf(access: Access): string {
  return access.baseURL === undefined ? 'api.openai.com' : new URL(access.baseURL).host;
}

/**
 * Where a reply came from: what is signed or encrypted there has no meaning, and is often refused, elsewhere. One
 * gateway serves many vendors, by paths of their own or by the model's name, so these count as far as they tell
 * vendors apart: `openrouter.ai/api/v1#anthropic/claude`.
 */
function originOf(access: Access, model: string): string {
  const host = hostOf(access);
  if (access.baseURL === undefined || isOpenAi(access.baseURL)) return host;
  const path = new URL(access.baseURL).pathname.replace(/\/+$/, '');
  return `${host}${path}#${vendorIn(model)}`;
}

/** A model at an origin. */
export type Place = { origin: string; model: string };

export function placeOf(access: Access, { model }: Pick<ModelRequest, 'model'>): Place {
  return { origin: originOf(access, model), model };
}

/** All before the last `/` of a model's name, and the first word after it: `vertex_ai/gemini` of `vertex_ai/gemini-3-pro`. */
function vendorIn(model: string): string {
  const slash = model.lastIndexOf('/') + 1;
  const [word = ''] = /^[a-z]*/i.exec(model.slice(slash)) ?? [];
  return `${model.slice(0, slash)}${word}`.toLowerCase();
}

/** A value that is to go back unread, as the text of an `opaque`; empty for one that is nested too deep. */
export function toOpaque(origin: string, kind: string, value: Json): string {
  return jsonText({ at: origin, [kind]: value }, '');
}

/** The value again, if it came from this origin and is of this kind. Of old ones only the host is recorded. */
export function fromOpaque(opaque: string | undefined, origin: string, kind: string): Json | undefined {
  const kept = opened(opaque);
  return kept?.['at'] === origin || kept?.['at'] === origin.split(/[/#]/)[0] ? kept?.[kind] : undefined;
}

function opened(opaque: string | undefined) {
  if (!opaque?.startsWith('{')) return undefined;
  const parsed = parseJson(opaque);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}
