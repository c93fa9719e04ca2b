import { ArtifactNames, type NamedArtifact } from '../../shared/artifact-names.js';
import type { TranscriptBase } from '../../shared/carried.js';
import { latest } from '../../shared/json.js';
import type { SessionMessages } from '../../shared/session-activities.js';

/** Of the names of artifacts, about two hundred. */
const NAMES_BYTES = 50_000;

/** What has been said in a session, packed, and what its tools have given out by name. */
export class SessionTranscript {
  base: TranscriptBase | undefined;
  /** What turns are given in its place. */
  compacted: TranscriptBase | undefined;
  readonly #artifacts = new ArtifactNames();

  constructor(messages: SessionMessages) {
    this.take(messages);
  }

  get count(): number {
    return this.base?.count ?? 0;
  }

  /** What a turn is given of it. */
  get forTurn(): { earlier?: TranscriptBase; artifacts?: NamedArtifact[] } {
    const earlier = this.compacted ?? this.base;
    return { ...(earlier && { earlier }), ...this.#names };
  }

  get messages(): SessionMessages {
    const { base, compacted } = this;
    return { ...(base && { base }), ...(compacted && { compacted }), ...this.#names };
  }

  /** As a turn has left it. */
  take({ base, compacted, artifacts }: SessionMessages): void {
    this.base = base;
    this.compacted = compacted;
    this.#artifacts.learn([], artifacts);
  }

  /** In the place of all that it has. */
  replace(messages: SessionMessages): void {
    this.#artifacts.forget();
    this.take(messages);
  }

  /** The latest ones. */
  get #names(): { artifacts?: NamedArtifact[] } {
    const artifacts = latest(this.#artifacts.list(), NAMES_BYTES);
    return artifacts.length > 0 ? { artifacts } : {};
  }
}
