import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';
import { ANY_BYTES, isMediaType } from '../shared/media-types.js';
import { isBase64 } from '../shared/prompt-parts.js';

/** `media`: an image, a sound, any other file; `data` is base64. */
export type ResultPart =
  | { type: 'text'; text: string }
  | { type: 'media'; mediaType: string; data: string; name?: string };

export type ReadResult = { parts: ResultPart[]; isError: boolean };

/**
 * The result of a tool of an MCP server as texts and media; whatever it holds, nothing is lost without a word.
 * `structuredContent` goes before the texts, which say the same for programs that don't know it.
 */
export function readResult(result: JsonObject): ReadResult {
  const { content, structuredContent, isError } = result;
  const blocks = Array.isArray(content)
    ? content
    : content === undefined || content === null
      ? []
      : [content];
  const parts = blocks.map(partOf);
  const isStructured = structuredContent !== undefined && structuredContent !== null;
  const shown = isStructured
    ? [
        textPart(JSON.stringify(sorted(structuredContent))),
        ...parts.filter((_part, at) => typeOf(blocks[at]) !== 'text'),
      ]
    : parts;
  return { parts: shown, isError: isError === true };
}

function partOf(block: Json): ResultPart {
  if (!isJsonObject(block)) return textPart(JSON.stringify(block));
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return textPart(text);
  if (type === 'image' || type === 'audio') return media(data, mimeType, '');
  if (type === 'resource_link') return textPart(linkText(block));
  if (type === 'resource' && isJsonObject(resource)) return embedded(resource);
  return textPart(`[a block of the type ${JSON.stringify(type)}: ${JSON.stringify(block)}]`);
}

function embedded(resource: JsonObject): ResultPart {
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === 'string') return textPart(`[resource ${String(uri)}]\n${text}`);
  return media(blob, mimeType, ` of the resource ${shortUri(uri)}`, nameIn(uri));
}

function media(data: Json | undefined, mimeType: Json | undefined, of: string, name?: string): ResultPart {
  const mediaType = isMediaType(mimeType) ? mimeType : ANY_BYTES;
  const base64 = typeof data === 'string' ? data.replace(/\s+/g, '') : '';
  if (!isBase64(base64))
    return textPart(`[${mediaType}${of}: its data is not base64, so that it can't be read]`);
  return { type: 'media', mediaType, data: base64, ...(name && { name }) };
}

/** The last word of an address. */
function nameIn(uri: Json | undefined): string {
  const [path = ''] = shortUri(uri).split(/[?#]/);
  return path.split('/').at(-1) ?? '';
}

function linkText({ uri, name, title, description, mimeType, size }: JsonObject): string {
  const facts = [mimeType, size === undefined ? undefined : `${String(size)} bytes`, description];
  const said = facts.filter((fact) => typeof fact === 'string' && fact !== '').join(', ');
  return `[resource ${String(title ?? name ?? '')} at ${shortUri(uri)}${said && `: ${said}`}]`;
}

/** Some servers put the whole of a file into its address. */
function shortUri(uri: Json | undefined): string {
  const text = String(uri);
  return text.length > 500 ? `${text.slice(0, 200)}…` : text;
}

function textPart(text: string): ResultPart {
  return { type: 'text', text };
}

function typeOf(block: Json | undefined): Json | undefined {
  return isJsonObject(block) ? block['type'] : undefined;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}
