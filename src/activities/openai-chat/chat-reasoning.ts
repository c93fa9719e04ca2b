import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { ReasoningBlock } from '../../shared/messages.js';
import type { ModelPart } from '../../shared/model-port.js';
import { fromOpaque, toOpaque } from '../openai/origin.js';

/** OpenRouter's signed or encrypted blocks, which go back as they came. */
const DETAILS = 'reasoning_details';

/** The fields that bring reasoning as plain text; it goes back in the one that it came in. */
const FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const;
type Field = (typeof FIELDS)[number];
/** What the name of the field is called in a block's `opaque`. */
const FIELD = 'field';
/** In place of a thought that there is none of: DeepSeek refuses an empty one. */
const NO_THOUGHT = ' ';

/** What an assistant message of the wire has of reasoning. */
export type WireReasoning = {
  reasoning_content?: string;
  reasoning?: string;
  /** Mistral's, which stands among the parts of the content. */
  thinking?: string;
  reasoning_details?: Json;
};

/** Puts the reasoning of a reply together, in whichever of its forms it comes. */
export function reasoningAccumulator(origin: string) {
  const details: JsonObject[] = [];
  let text = '';
  let field: Field | undefined;

  function addDetail(detail: JsonObject): void {
    const open = details.findLast((each) => isContinued(each, detail));
    if (open === undefined) details.push({ ...detail });
    else Object.assign(open, joined(open, detail));
  }

  return {
    add(delta: JsonObject): void {
      for (const each of FIELDS) {
        const thought = each === 'thinking' ? thinkingIn(delta['content']) : plain(delta[each]);
        if (thought === '') continue;
        field ??= each;
        // Some gateways send the same thought in two fields.
        if (field === each) text += thought;
      }
      const list = delta[DETAILS];
      if (Array.isArray(list)) for (const detail of list) if (isJsonObject(detail)) addDetail(detail);
    },
    parts(): ModelPart[] {
      if (details.length > 0) {
        const shown = text || details.map(textOfDetail).join('');
        return [{ type: 'reasoning', text: shown, opaque: toOpaque(origin, DETAILS, details) }];
      }
      if (field === undefined) return [];
      return [{ type: 'reasoning', text, opaque: toOpaque(origin, FIELD, field) }];
    },
  };
}

type Wanted = {
  origin: string;
  /** The model refuses a message without any: what another one thought has to do, as plain text. */
  demanded?: boolean;
};

/** The reasoning of a message as its provider wants it back; nothing of what another one thought or signed. */
export function wireReasoning(
  blocks: readonly ReasoningBlock[],
  { origin, demanded }: Wanted,
): WireReasoning {
  const details = blocks.flatMap((block) => fromOpaque(block.opaque, origin, DETAILS) ?? []);
  if (details.length > 0) return { reasoning_details: details };
  const own = blocks.flatMap((block) => {
    const field = fieldOf(block, origin);
    return field === undefined ? [] : [{ field, text: block.text }];
  });
  const text = textIn(own);
  if (text !== '') return { [own[0]?.field ?? 'reasoning_content']: text };
  return demanded ? { reasoning_content: textIn(blocks) || NO_THOUGHT } : {};
}

/** The field that a plain thought goes back in, if it came from there. */
function fieldOf({ opaque }: ReasoningBlock, origin: string): Field | undefined {
  // Of old ones, and of what a caller hands in, nobody knows where they came from.
  if (opaque === undefined) return 'reasoning_content';
  return FIELDS.find((field) => field === opaque || field === fromOpaque(opaque, origin, FIELD));
}

function textIn(blocks: readonly { text: string }[]): string {
  return blocks.map(({ text }) => text.toWellFormed()).join('');
}

/** Pieces of one block have its type and its index; an encrypted one comes whole. */
function isContinued(open: JsonObject, piece: JsonObject): boolean {
  return (
    open['type'] === piece['type'] &&
    open['type'] !== 'reasoning.encrypted' &&
    (open['index'] ?? null) === (piece['index'] ?? null)
  );
}

function joined(open: JsonObject, piece: JsonObject): JsonObject {
  const texts = ['text', 'summary'].filter((field) => typeof piece[field] === 'string');
  const others = Object.entries(piece).filter(([field, value]) => value !== null && !texts.includes(field));
  return {
    ...Object.fromEntries(others),
    ...Object.fromEntries(texts.map((field) => [field, plain(open[field]) + plain(piece[field])])),
  };
}

function textOfDetail(detail: JsonObject): string {
  return plain(detail['text']) || plain(detail['summary']);
}

function thinkingIn(content: Json | undefined): string {
  if (!Array.isArray(content)) return '';
  const thoughts = content.map((part) => (isJsonObject(part) ? (part['thinking'] ?? null) : null));
  return thoughts
    .flatMap((thought) => (Array.isArray(thought) ? thought : []))
    .map((part) => (isJsonObject(part) ? plain(part['text']) : ''))
    .join('');
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
