import { z } from 'zod';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { AnyTool } from '../define/define-agent.js';
import { makeTool } from '../define/make-tool.js';
import { retryable } from '../define/retryable.js';
import { type ArtifactRef, READ_ARTIFACT } from '../shared/artifacts.js';
import { isJsonObject, type JsonObject } from '../shared/json.js';
import { visibleText, wholeCharacters } from '../shared/utf8.js';

const MAX_BYTES = 50_000;

const input = z.object({
  artifact: z.string().describe('The id, or the name, that the result tells'),
  offset: z.number().int().min(0).default(0).describe('First byte to read, from 0'),
  limit: z
    .number()
    .int()
    .min(1)
    .default(MAX_BYTES)
    .describe(`How many bytes; at most ${MAX_BYTES} are given`),
});

/** What the plan has put in the place of the model's arguments: the artifact that the id means. */
const resolved = input.extend({ bytes: z.number().default(0) });

/** The tool with which a model reads on in a result that was cut. The plan has checked that it may: see `resolveRead`. */
export function readArtifactTool(artifacts: Artifacts): AnyTool {
  const shown = makeTool({
    name: READ_ARTIFACT,
    description: `Reads on in a tool result that was too long to be shown whole, at most ${MAX_BYTES} bytes a call. The cut result names the artifact and the offset; the closing note of each part tells the offset to go on with.`,
    input,
    idempotent: true,
    effects: 'none',
    timeout: '2 minutes',
    run: () => '',
  });
  return {
    ...shown,
    input: resolved,
    async run({ artifact: sha256, bytes, offset, limit }: z.output<typeof resolved>) {
      if (offset >= bytes && bytes > 0)
        throw new Error(`Offset ${offset} is past the end: the artifact has ${bytes} bytes.`);
      const range = { from: offset, to: offset + Math.min(limit, MAX_BYTES) };
      try {
        return partText(await artifacts.loadPart({ sha256, bytes }, range), offset, bytes);
      } catch (error) {
        // Another worker may have the store that holds it.
        throw retryable(error);
      }
    },
  };
}

/** Replaces the id by what it means; what the model may not read, or has misspelled, was refused before. */
export function resolvedRead(input: JsonObject, { sha256, bytes }: ArtifactRef): JsonObject {
  return { ...input, artifact: sha256, bytes };
}

export function artifactIdIn(input: unknown): string {
  return isJsonObject(input) && typeof input['artifact'] === 'string' ? input['artifact'] : '';
}

function partText(part: Uint8Array, offset: number, total: number): string {
  for (let shown = part; ; shown = shown.subarray(0, Math.ceil(shown.length / 2))) {
    const whole = wholeCharacters(shown);
    // Whatever it is that is asked for must bring the reader on.
    const { start, end } = whole.end > whole.start ? whole : { start: 0, end: shown.length };
    const text = visibleText(shown.subarray(start, end));
    // Control characters take more room where they are made visible.
    if (Buffer.byteLength(text) > 1.5 * MAX_BYTES) continue;
    const to = offset + end;
    const note = to < total ? `; go on with offset=${to}` : ', its end';
    return `${text}\n[bytes ${offset + start} to ${to} of ${total}${note}]`;
  }
}
