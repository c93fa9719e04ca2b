import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifacts } from '../artifacts/artifacts.js';
import { type Artifact, findingArtifacts } from '../define/artifact.js';
import { fitName, type NamedArtifact, nameKey } from '../shared/artifact-names.js';

/** Reads arguments: the names of artifacts in them become the artifacts. */
export type ReadingArtifacts = <Result>(read: () => Result) => Result;

/** Holds the artifacts that a call's arguments name, for as long as its tool runs. */
export async function holdingArtifacts<Result>(
  artifacts: Artifacts,
  named: readonly NamedArtifact[] | undefined,
  work: (reading: ReadingArtifacts) => Promise<Result>,
): Promise<Result> {
  const held = new HeldArtifacts(artifacts, named);
  try {
    return await work((read) => findingArtifacts((name) => held.find(name), read));
  } finally {
    await held.close();
  }
}

/** Throws a retryable `Artifact.NotFound` before a tool has begun: another worker may have what this one lacks. */
export async function requireArtifacts(
  artifacts: Artifacts,
  named: readonly NamedArtifact[] = [],
): Promise<void> {
  for (const each of named) await artifacts.loadPart(each, { from: 0, to: 1 });
}

class HeldArtifacts {
  readonly #artifacts: Artifacts;
  readonly #named: readonly NamedArtifact[];
  #folder: Promise<string> | undefined;
  #copies = new Map<string, Promise<string>>();

  constructor(artifacts: Artifacts, named: readonly NamedArtifact[] = []) {
    this.#artifacts = artifacts;
    this.#named = named;
  }

  find(written: string): Artifact | undefined {
    const wanted = nameKey(written);
    const found = this.#named.find(({ name }) => nameKey(name) === wanted);
    if (!found) return undefined;
    const { name, mediaType, bytes: size } = found;
    const load = () => this.#artifacts.load(found);
    return {
      name,
      mediaType,
      size,
      bytes: load,
      text: async () => Buffer.from(await load()).toString('utf8'),
      path: () => this.#copyOf(found),
    };
  }

  /** Removes the copies on this machine. */
  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder) await rm(folder, { recursive: true, force: true });
  }

  async #copyOf(named: NamedArtifact): Promise<string> {
    const copy = this.#copies.get(named.name) ?? this.#copy(named);
    this.#copies.set(named.name, copy);
    return await copy;
  }

  async #copy(named: NamedArtifact): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'holdfast-artifacts-'));
    const path = join(await this.#folder, fitName(named.name));
    await writeFile(path, await this.#artifacts.load(named), { mode: 0o600 });
    return path;
  }
}
