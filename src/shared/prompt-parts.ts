import type { UserBlock } from './messages.js';
import { type Check, is, isListOf, isNonEmptyText, isShape, isText, isVariant } from './shape.js';

/** A part of what a turn is asked; `data` is base64. */
export type PromptPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  /** Fetched by the provider: `https://...`. */
  | { type: 'image'; url: string }
  /** A document that the model itself can read, as most models can a PDF. */
  | { type: 'file'; name: string; mediaType: string; data: string };

const matches = (expected: string, pattern: RegExp): Check =>
  is(expected, (value) => typeof value === 'string' && pattern.test(value));

/** Looks for what is wrong in it: a pattern for all of it would run out of stack in a large one. */
export function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}

const isData = is('base64', (value) => typeof value === 'string' && isBase64(value));
const isMediaType = matches('a media type such as application/pdf', /^[\w.+-]+\/[\w.+-]+$/);
const isImageType = matches('a media type such as image/png', /^image\/[\w.+-]+$/);
const isAddress = matches('an address that begins with https:// or http://', /^https?:\/\/\S+$/);

const byAddress = isShape({ type: isText, url: isAddress });
const byData = isShape({ type: isText, mediaType: isImageType, data: isData });
const isImage: Check = (value, path) =>
  typeof value === 'object' && value !== null && 'url' in value
    ? byAddress(value, path)
    : byData(value, path);

export const isPromptParts = isListOf(
  isVariant('type', {
    text: isShape({ type: isText, text: isText }),
    image: isImage,
    file: isShape({ type: isText, name: isNonEmptyText, mediaType: isMediaType, data: isData }),
  }),
);

/**
 * As a turn's input has it: the text that a prompt begins with, and what comes after it. What is neither text nor list
 * stays as it is, for the check of the input to refuse.
 */
export function askedBy(prompt: string | readonly PromptPart[]): {
  prompt: string;
  attachments?: PromptPart[];
} {
  if (!Array.isArray(prompt)) return { prompt: prompt as string };
  const [first, ...rest] = prompt as readonly PromptPart[];
  if (first?.type !== 'text') return { prompt: '', attachments: [...prompt] };
  return { prompt: first.text, ...(rest.length > 0 && { attachments: rest }) };
}

/** What stands for a prompt where only a text can be shown. */
export function shownPrompt(input: { prompt: string; attachments?: readonly PromptPart[] }): string {
  if (input.prompt !== '') return input.prompt;
  const { attachments = [] } = input;
  const text = attachments.find((part) => part.type === 'text')?.text;
  return (
    text ?? attachments.map((part) => (part.type === 'file' ? `[${part.name}]` : `[${part.type}]`)).join(' ')
  );
}

/** With the ids `<owner>.<from>` and so on. */
export function blocksOf(owner: string, from: number, parts: readonly PromptPart[]): UserBlock[] {
  return parts.map((part, index) => ({ ...part, id: `${owner}.${from + index}` }));
}
