import { artifactsIn, nameKey } from '../shared/artifact-names.js';
import { type ArtifactRef, SHORTEST_ARTIFACT_ID } from '../shared/artifacts.js';
import type { Message } from '../shared/messages.js';

/** The artifacts that results and summaries of this transcript name, by SHA-256: the only ones that its model may read. */
export function artifactsOf(messages: readonly Message[]): Map<string, ArtifactRef> {
  const found = new Map<string, ArtifactRef>();
  for (const message of messages) {
    if (message.role === 'user' && message.covers?.artifact)
      found.set(message.covers.artifact.sha256, message.covers.artifact);
    if (message.role !== 'tool') continue;
    for (const { artifact, artifacts = [] } of message.content) {
      for (const { sha256, bytes } of artifact ? [artifact, ...artifacts] : artifacts)
        found.set(sha256, { sha256, bytes });
    }
  }
  return found;
}

/** The one that has this name in the transcript, or undefined. */
export function artifactNamed(name: string, messages: readonly Message[]): ArtifactRef | undefined {
  const wanted = nameKey(name);
  const found = artifactsIn(messages).findLast((each) => nameKey(each.name) === wanted);
  return found && { sha256: found.sha256, bytes: found.bytes };
}

/** The one artifact that an id means, whole or its first 12 digits or more; else what is wrong with the id. */
export function findArtifact(id: string, known: ReadonlyMap<string, ArtifactRef>): ArtifactRef | string {
  const digits = id.trim().toLowerCase();
  if (!/^[0-9a-f]+$/.test(digits) || digits.length < SHORTEST_ARTIFACT_ID) {
    return `expected ${SHORTEST_ARTIFACT_ID} hex digits or more, as a result names them`;
  }
  const [found, another] = [...known.values()].filter(({ sha256 }) => sha256.startsWith(digits));
  if (!found) return 'no result of this conversation names such an artifact';
  return another ? 'several artifacts begin with these digits; give more of them' : found;
}
