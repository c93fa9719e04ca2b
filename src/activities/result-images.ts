import type { Artifacts } from '../artifacts/artifacts.js';
import type { ArtifactRef } from '../shared/artifacts.js';
import type { ImageBlock, TextBlock, ToolResultBlock } from '../shared/messages.js';
import { isBase64 } from '../shared/prompt-parts.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { MAX_RESULT_BYTES, resultContent } from './result-content.js';

/** The images of one result together, in bytes of base64. */
export const MAX_IMAGE_BYTES = 500_000;
const MAX_BLOCKS = 1000;
const TOLD_DIGITS = 16;

type Text = Pick<TextBlock, 'type' | 'text'>;
type Image = { type: 'image'; mediaType: string; data: string } | { type: 'image'; url: string };
type Part = Text | Image;
export type Bounds = { maxResultBytes?: number | undefined; maxImageBytes?: number | undefined };

/**
 * What a tool returned, as its result, with its images: an image is `{ type: 'image', mediaType, data }`, `data` being
 * base64 or bytes, alone or in a list with text blocks. Anything else is as {@link resultContent} has it. Images beyond
 * the bound are left out, which is said in their place, and all that was returned is kept as an artifact.
 */
export async function resultWithImages(
  callId: string,
  value: unknown,
  artifacts: Artifacts,
  own: ArtifactRef | undefined,
  { maxResultBytes = MAX_RESULT_BYTES, maxImageBytes = MAX_IMAGE_BYTES }: Bounds,
): Promise<Pick<ToolResultBlock, 'content' | 'artifact'>> {
  const parts = partsIn(value);
  if (parts === undefined) return await resultContent(callId, value, artifacts, own, maxResultBytes);
  const { shown, left } = within(parts, maxImageBytes);
  const kept = left.length === 0 ? { artifact: own } : await keep(parts, artifacts, own);
  const told = shown.map((part) => (part.type === 'left' ? leftOut(part.image, maxImageBytes, kept) : part));
  const texts = told.filter((part) => part.type === 'text').map(({ text }) => text);
  const text = texts.join('\n');
  if (Buffer.byteLength(text) <= maxResultBytes) {
    return { content: withIds(callId, told), ...(kept.artifact && { artifact: kept.artifact }) };
  }
  const images = told.filter((part) => part.type === 'image');
  const { content, artifact } = await resultContent(callId, text, artifacts, kept.artifact, maxResultBytes);
  return { content: [...content, ...withIds(callId, images, content.length)], ...(artifact && { artifact }) };
}

/** Undefined where there is no image in it. Throws for an image whose data is none. */
function partsIn(value: unknown): Part[] | undefined {
  const list = listOf(value);
  return list?.map((each) => (each.type === 'text' ? each : toImage(each)));
}

type Returned = Text | { type: 'image'; mediaType: string; data: unknown } | { type: 'image'; url: string };

/** Never throws: reading a proxy or a getter may run anybody's code. */
function listOf(value: unknown): Returned[] | undefined {
  try {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    if (list.length > MAX_BLOCKS || !list.every(isReturned)) return undefined;
    return list.some((each) => each.type === 'image') ? list.map((each) => ({ ...each })) : undefined;
  } catch {
    return undefined;
  }
}

function isReturned(value: unknown): value is Returned {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'text') return 'text' in value && typeof value.text === 'string';
  if (value.type !== 'image') return false;
  if ('url' in value) return typeof value.url === 'string' && /^https?:\/\//.test(value.url);
  const hasType = 'mediaType' in value && typeof value.mediaType === 'string';
  return hasType && /^image\/[\w.+-]+$/.test(value.mediaType as string) && 'data' in value;
}

function toImage(image: Exclude<Returned, Text>): Image {
  if ('url' in image) return { type: 'image', url: image.url };
  const { mediaType, data } = image;
  if (data instanceof Uint8Array)
    return { type: 'image', mediaType, data: Buffer.from(data).toString('base64') };
  const written = typeof data === 'string' ? data.replace(/\s+/g, '') : '';
  if (!isBase64(written)) throw new Error(`the data of its ${mediaType} is not base64`);
  return { type: 'image', mediaType, data: written };
}

type Shown = Part | { type: 'left'; image: Image };

function within(parts: readonly Part[], maxBytes: number): { shown: Shown[]; left: Image[] } {
  const left: Image[] = [];
  let room = maxBytes;
  const shown = parts.map((part): Shown => {
    const size = sizeOf(part);
    if (size > room) {
      left.push(part as Image);
      return { type: 'left', image: part as Image };
    }
    room -= size;
    return part;
  });
  return { shown, left };
}

function sizeOf(part: Part): number {
  return 'data' in part ? part.data.length : 0;
}

type Kept = { artifact?: ArtifactRef | undefined; problem?: string };

/** One image alone as it is, else all of it as JSON. */
async function keep(
  parts: readonly Part[],
  artifacts: Artifacts,
  own: ArtifactRef | undefined,
): Promise<Kept> {
  if (own) return { artifact: own, problem: 'the tool has kept something else' };
  const [first] = parts;
  const isAlone = parts.length === 1 && first !== undefined && 'data' in first;
  const bytes = isAlone ? Buffer.from(first.data, 'base64') : Buffer.from(JSON.stringify(parts));
  try {
    return { artifact: await artifacts.save(bytes) };
  } catch (error) {
    return { problem: `it could not be kept: ${wireLine(errorText(error))}` };
  }
}

function leftOut(image: Image, maxBytes: number, { artifact, problem }: Kept): Text {
  const what = 'mediaType' in image ? image.mediaType : 'image';
  const where = problem ?? `it is kept for people as the artifact ${artifact?.sha256.slice(0, TOLD_DIGITS)}`;
  const text = `[An ${what} of ${sizeOf(image)} bytes in base64 is left out, as a result may have ${maxBytes} of them; ${where}. A smaller one can be shown.]`;
  return { type: 'text', text };
}

function withIds(callId: string, parts: readonly Part[], from = 0): (TextBlock | ImageBlock)[] {
  return parts.map((part, index) => ({ ...part, id: `${callId}.${from + index}` }));
}
