import { isJsonObject, type Json, type JsonObject, parseJson } from '../shared/json.js';

const MAX_NESTING = 500;

/** No arguments at all, which some servers send as `""` or `null`, are an empty object. */
export function parseArguments(
  text: string,
): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  const parsed = text.trim() === '' ? { ok: true as const, value: {} } : parseJson(text);
  if (!parsed.ok) return parsed;
  if (isNestedDeeper(text, MAX_NESTING))
    return { ok: false, problem: `it is nested more than ${MAX_NESTING} levels deep` };
  const value: Json = parsed.value ?? {};
  return isJsonObject(value) ? { ok: true, value } : { ok: false, problem: 'it must be an object' };
}

/** What is nested some thousand levels deep overflows the stack of whoever writes or checks it. */
function isNestedDeeper(json: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}
