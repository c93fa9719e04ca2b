/**
 * Bytes that are kept outside Temporal, named by their content: too big for a payload, or of no use to the model as a
 * whole.
 */
export type ArtifactRef = {
  /** Of the content, in hex. */
  sha256: string;
  bytes: number;
};
