import { type Check, is, isNumber, isShape } from './shape.js';

/**
 * Bytes that are kept outside Temporal, named by their content: too big for a payload, or of no use to the model as a
 * whole.
 */
export type ArtifactRef = {
  /** Of the content, in hex. */
  sha256: string;
  bytes: number;
};

/** Content that is not in memory: read from its start each time, `bytes` in all. */
export type ArtifactSource = { bytes: number; read(): AsyncIterable<Uint8Array> };

/** The tool by which the model reads what a result has no room for. Every agent has it. */
export const READ_ARTIFACT = 'read_artifact';

/** How few hex digits may name an artifact, and how many the model is told. */
export const SHORTEST_ARTIFACT_ID = 12;
const TOLD_DIGITS = 16;

export const isArtifactRef: Check = isShape({
  sha256: is('64 hex digits', (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)),
  bytes: isNumber,
});

/** What is added to the text of a tool that kept an artifact, unless the text names it itself; else ''. */
export function keptNote(ref: ArtifactRef, text: string): string {
  if (text.includes(ref.sha256.slice(0, SHORTEST_ARTIFACT_ID))) return '';
  return `${text === '' ? '' : '\n'}[${ref.bytes} bytes were kept; ${readRestHint(ref, 0)}]`;
}

/** How a text for the model says where the rest is. */
export function readRestHint(ref: ArtifactRef, offset: number): string {
  return `read on with ${READ_ARTIFACT}: ${JSON.stringify({ artifact: ref.sha256.slice(0, TOLD_DIGITS), offset })}`;
}
