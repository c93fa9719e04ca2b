import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { PromptPart } from '../shared/prompt-parts.js';
import { UsageError } from './usage-error.js';

/** In base64 it takes a third more, and a turn's input is bounded at 1.5 MB. */
const MAX_BYTES = 1_000_000;

/** By their first bytes. */
const KINDS: readonly [pattern: RegExp, mediaType: string][] = [
  [/^.PNG\r\n/s, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
];

/** The prompt with files: images and PDFs as the model itself sees them, texts as text. Throws a UsageError. */
export function promptWith(prompt: string, paths: readonly string[]): string | PromptPart[] {
  if (paths.length === 0) return prompt;
  let left = MAX_BYTES;
  const attached = paths.map((path): PromptPart => {
    const bytes = contentOf(path, left);
    left -= bytes.length;
    return partOf(path, bytes);
  });
  return [{ type: 'text', text: prompt }, ...attached];
}

function contentOf(path: string, most: number): Buffer {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no file ${path} to attach.`);
  if (!found.isFile()) throw new UsageError(`${path} is no file: only files can be attached.`);
  if (found.size > most) {
    throw new UsageError(
      `${path} takes ${found.size} bytes; all attached files together may take ${MAX_BYTES}. Put it into the workspace, where the agent's tools read it, or make it smaller.`,
    );
  }
  return readFileSync(path);
}

function partOf(path: string, bytes: Buffer): PromptPart {
  const head = bytes.subarray(0, 16).toString('latin1');
  const mediaType = KINDS.find(([pattern]) => pattern.test(head))?.[1];
  const name = basename(path);
  const data = bytes.toString('base64');
  if (mediaType?.startsWith('image/')) return { type: 'image', mediaType, data };
  if (mediaType !== undefined) return { type: 'file', name, mediaType, data };
  return { type: 'text', text: `The file ${name}:\n${textOf(path, bytes)}` };
}

function textOf(path: string, bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.includes('\0')) throw new TypeError('NUL');
    return text;
  } catch {
    throw new UsageError(
      `${path} can't be attached: it is no PNG, JPEG, GIF, WebP or PDF, and no text in UTF-8.`,
    );
  }
}
