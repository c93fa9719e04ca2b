import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Artifacts } from '../artifacts/artifacts.js';
import { isReturnedArtifact, type ReturnedArtifact } from '../define/artifact.js';
import { fitName, keptLine, type NamedArtifact } from '../shared/artifact-names.js';
import { type ArtifactRef, type ArtifactSource, READ_ARTIFACT } from '../shared/artifacts.js';
import { isShowable, isTextual } from '../shared/media-types.js';
import type { ImageBlock, TextBlock, ToolResultBlock } from '../shared/messages.js';
import { visibleText, wholeCharacters } from '../shared/utf8.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { MAX_RESULT_BYTES } from './result-content.js';
import { type Bounds, MAX_IMAGE_BYTES, resultWithImages } from './result-images.js';

/** Of one result. */
const MAX_ARTIFACTS = 20;
const MAX_BYTES = 256_000_000;
const MAX_LIST = 1000;
const PREVIEW_BYTES = 1500;
const PREVIEW_LINES = 12;
/** Of what a result may take: all previews together. */
const PREVIEW_SHARE = 0.5;
const TOO_LARGE = '\n[It is too large to be shown here.]';

type Content = Pick<ToolResultBlock, 'content' | 'artifact' | 'artifacts'>;
type Blocks = (TextBlock | ImageBlock)[];
type Text = Pick<TextBlock, 'type' | 'text'>;

/**
 * What a tool returned, as its result, with the artifacts that it gives out: each is kept, and told by a block of its own,
 * which has its name, the beginning of what is text, and what is an image for models that see. All else is as
 * {@link resultWithImages} has it.
 */
export async function resultWithArtifacts(
  callId: string,
  value: unknown,
  artifacts: Artifacts,
  own: ArtifactRef | undefined,
  bounds: Bounds,
): Promise<Content> {
  const list = listWithArtifacts(value);
  if (!list) return await resultWithImages(callId, value, artifacts, own, bounds);
  const { maxResultBytes = MAX_RESULT_BYTES, maxImageBytes = MAX_IMAGE_BYTES } = bounds;
  const previews = Math.floor(maxResultBytes * PREVIEW_SHARE);
  const rest = list.filter((each) => !isReturnedArtifact(each));
  const restBounds = { maxImageBytes, maxResultBytes: maxResultBytes - previews };
  const others = await restOf(callId, rest, artifacts, own, restBounds);
  const given = list.filter(isReturnedArtifact);
  const told = new Told(callId, others.content, maxImageBytes, Math.floor(previews / given.length));
  const blocks = new Map<unknown, Blocks>();
  for (const each of given.slice(0, MAX_ARTIFACTS)) blocks.set(each, await told.keep(each, artifacts));
  const left = given.length - MAX_ARTIFACTS;
  const more =
    left > 0 ? [told.text(`[${left} more artifacts are left out: a result may have ${MAX_ARTIFACTS}.]`)] : [];
  // Where each of the others is one block, all stays in its order.
  const queue = [...others.content];
  const isOrdered = others.content.length === rest.length;
  const content = isOrdered
    ? list.flatMap((each) => blocks.get(each) ?? (isReturnedArtifact(each) ? [] : queue.splice(0, 1)))
    : [...queue, ...[...blocks.values()].flat()];
  const { named } = told;
  return { ...others, content: [...content, ...more], ...(named.length > 0 && { artifacts: named }) };
}

/** Undefined where there is no artifact in it. Never throws: reading a proxy or a getter may run anybody's code. */
function listWithArtifacts(value: unknown): unknown[] | undefined {
  try {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    if (list.length > MAX_LIST || !list.some(isReturnedArtifact)) return undefined;
    // One that is there twice is told once, and a text beside an artifact is a text of the result, not an item of a JSON list.
    const once = list.filter((each, at) => !isReturnedArtifact(each) || list.indexOf(each) === at);
    return once.map((each) => (typeof each === 'string' ? { type: 'text', text: each } : each));
  } catch {
    return undefined;
  }
}

/** Texts stay apart, where they have room. */
async function restOf(
  callId: string,
  rest: readonly unknown[],
  artifacts: Artifacts,
  own: ArtifactRef | undefined,
  bounds: { maxResultBytes: number; maxImageBytes: number },
): Promise<Content> {
  if (rest.length > 0 && !own && rest.every(isText)) {
    const content = rest.map(({ text }, at) => ({
      ...{ type: 'text' as const, id: `${callId}.${at}` },
      text: visibleText(Buffer.from(text)),
    }));
    const bytes = content.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    if (bytes <= bounds.maxResultBytes) return { content };
  }
  const value = rest.length > 1 ? rest : rest[0];
  return await resultWithImages(callId, value, artifacts, own, bounds);
}

function isText(value: unknown): value is Text {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return value.type === 'text' && 'text' in value && typeof value.text === 'string';
}

/** The blocks that tell of artifacts, after those that a result has anyway. */
class Told {
  readonly named: NamedArtifact[] = [];
  readonly #callId: string;
  readonly #previewBytes: number;
  #imageRoom: number;
  #next: number;

  constructor(
    callId: string,
    others: ToolResultBlock['content'],
    maxImageBytes: number,
    previewBytes: number,
  ) {
    this.#callId = callId;
    this.#imageRoom = maxImageBytes - imageBytesIn(others);
    this.#previewBytes = Math.min(PREVIEW_BYTES, previewBytes);
    this.#next = others.length;
  }

  text(text: string): TextBlock {
    return { type: 'text', id: this.#nextId(), text };
  }

  async keep(given: ReturnedArtifact, artifacts: Artifacts): Promise<Blocks> {
    const name = fitName(given.name);
    const blockId = this.#nextId();
    const problem = (text: string): TextBlock => ({ type: 'text', id: blockId, text: notKept(name, text) });
    try {
      const content = await contentOf(given);
      const bytes = content instanceof Uint8Array ? content.byteLength : content.bytes;
      if (bytes > MAX_BYTES) throw new Error(`it takes ${bytes} bytes, and may take ${MAX_BYTES}`);
      const image = await this.#image(given, content, bytes);
      const ref = await artifacts.save(content).catch(errorText);
      if (typeof ref === 'string') return [problem(ref), ...image];
      const artifact = { ...ref, name, mediaType: given.mediaType, blockId };
      this.named.push(artifact);
      const hidden = isShowable(given.mediaType) && image.length === 0 ? TOO_LARGE : '';
      const begun = await headOf(given, content, this.#previewBytes);
      const text = keptLine(artifact) + hidden + preview(artifact, begun);
      return [{ type: 'text', id: blockId, text }, ...image];
    } catch (error) {
      return [problem(errorText(error))];
    }
  }

  /** For models that see; none where it has no room. */
  async #image(
    given: ReturnedArtifact,
    content: Uint8Array | ArtifactSource,
    bytes: number,
  ): Promise<ImageBlock[]> {
    const { mediaType } = given;
    const size = 4 * Math.ceil(bytes / 3);
    if (!isShowable(mediaType) || size > this.#imageRoom) return [];
    this.#imageRoom -= size;
    const data = Buffer.from(await headOf(given, content, bytes)).toString('base64');
    return [{ type: 'image', id: this.#nextId(), mediaType, data }];
  }

  #nextId(): string {
    this.#next += 1;
    return `${this.#callId}.${this.#next - 1}`;
  }
}

function notKept(name: string, problem: string): string {
  return `[${name} could not be kept: ${wireLine(problem)}]`;
}

async function contentOf({ data, path = '' }: ReturnedArtifact): Promise<Uint8Array | ArtifactSource> {
  if (data !== undefined) return typeof data === 'string' ? Buffer.from(data) : data;
  const found = await stat(path);
  if (!found.isFile()) throw new Error(`${path} is no file`);
  return { bytes: found.size, read: () => createReadStream(path) };
}

async function headOf(
  { path = '' }: ReturnedArtifact,
  content: Uint8Array | ArtifactSource,
  bytes: number,
): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content.subarray(0, bytes);
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The first lines of what is text, and how to read on; nothing of anything else. */
function preview({ name, mediaType, bytes }: NamedArtifact, begun: Uint8Array): string {
  if (!isTextual(mediaType) || bytes === 0) return '';
  const whole = begun.subarray(0, wholeCharacters(begun).end);
  const lines = visibleText(whole).split('\n');
  const isAll = whole.byteLength === bytes && lines.length <= PREVIEW_LINES + 1;
  if (isAll) return `\n${lines.join('\n')}`;
  // The last line may be cut.
  const shown = lines.length > 1 ? lines.slice(0, Math.min(PREVIEW_LINES, lines.length - 1)) : lines;
  const next = JSON.stringify({ artifact: name, offset: 0 });
  return `\n${shown.join('\n')}\n[... this is the beginning; ${READ_ARTIFACT} reads all of it: ${next}]`;
}

function imageBytesIn(content: ToolResultBlock['content']): number {
  return content.reduce((sum, block) => sum + (block.type === 'image' ? (block.data?.length ?? 0) : 0), 0);
}
