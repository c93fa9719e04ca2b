import { type ArtifactRef, isArtifactRef } from './artifacts.js';
import type { Json } from './json.js';
import type { Message, TextBlock, ToolMessage, ToolResultBlock } from './messages.js';
import { type Check, isListOf, isNonEmptyText, isShape } from './shape.js';
import { similarNames } from './similar-names.js';
import { answer } from './tool-results.js';

/** An artifact that the model knows by name, and hands on by writing that name. */
export type NamedArtifact = ArtifactRef & {
  /** Unique in the turn, whatever the case of its letters. */
  name: string;
  mediaType: string;
  /** The text block of its result that tells of it, and begins with {@link keptLine}. */
  blockId: string;
};

export const areNamedArtifacts: Check = isListOf((value, path) => {
  const { sha256, bytes, ...rest } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as NamedArtifact;
  const named = isShape({ name: isNonEmptyText, mediaType: isNonEmptyText, blockId: isNonEmptyText });
  return [...isArtifactRef({ sha256, bytes }, path), ...named(rest, path)];
});

/** Of a turn, so that they fit in what its next run is given. Later ones are kept, and have no name. */
const MAX_NAMES = 500;
const MAX_NAME = 64;
const TOLD_BY_OUTCOME = 50;
/** That a sub-agent's answer names. */
const MAX_HANDED_UP = 20;
/** Of those that a model is told, where none is near. */
const TOLD_NAMES = 10;

/** What tells the model of an artifact. */
export function keptLine({ name, mediaType, bytes }: NamedArtifact): string {
  return `[Kept as ${name}: ${mediaType}, ${bytes} bytes]`;
}

/** A name that models write back without a slip: letters, digits, `.`, `_` and `-`, its ending kept. */
export function fitName(wanted: string): string {
  const fit = wanted
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[.]+/, '');
  return shortened(fit === '' ? 'artifact' : fit, '');
}

/** `chart` + `-2` + `.png`, at most so many characters. */
function shortened(name: string, suffix: string): string {
  const [, stem = name, ending = ''] = /^(.+?)((?:\.[\p{L}\p{N}]{1,8}){0,2})$/u.exec(name) ?? [];
  const room = MAX_NAME - suffix.length - ending.length;
  return `${stem.slice(0, Math.max(1, room)).toWellFormed()}${suffix}${ending}`;
}

/**
 * The artifacts of a turn by their names. The workflow keeps one, and the fold that rebuilds a turn from its history
 * another: names are given when a round's results are all there, in request order, so that the two give the same.
 */
export class ArtifactNames {
  readonly #byName = new Map<string, NamedArtifact>();

  /** Those of messages that were there before, and those that an earlier run has carried over. */
  learn(messages: readonly Message[], carried: readonly NamedArtifact[] = []): void {
    for (const artifact of [...carried, ...artifactsIn(messages)])
      this.#byName.set(nameKey(artifact.name), artifact);
  }

  carried(): { artifacts?: NamedArtifact[] } {
    return this.#byName.size > 0 ? { artifacts: this.list() } : {};
  }

  /** For an outcome: the latest ones. */
  told(): { artifacts?: NamedArtifact[] } {
    return this.#byName.size > 0 ? { artifacts: this.list().slice(-TOLD_BY_OUTCOME) } : {};
  }

  /** In the order in which they came. */
  list(): NamedArtifact[] {
    return [...this.#byName.values()];
  }

  get(name: string): NamedArtifact | undefined {
    return this.#byName.get(nameKey(name));
  }

  /** Those whose names are texts somewhere in the value. */
  within(value: Json): NamedArtifact[] {
    if (typeof value === 'string') return [this.get(value)].filter((found) => found !== undefined);
    if (typeof value !== 'object' || value === null) return [];
    return Object.values(value).flatMap((each) => this.within(each));
  }

  /** The round's results as they are to stand in the transcript: each of their artifacts with a name of its own. */
  named(round: ToolMessage): ToolMessage {
    if (!round.content.some(({ artifacts }) => artifacts)) return round;
    return { ...round, content: round.content.map((result) => this.#namedIn(result)) };
  }

  #namedIn(result: ToolResultBlock): ToolResultBlock {
    const { artifacts: wanted, ...rest } = result;
    if (!wanted) return result;
    let content = result.content;
    const artifacts: NamedArtifact[] = [];
    for (const artifact of wanted) {
      const name = this.#freeName(artifact.name);
      const named = name === undefined ? undefined : { ...artifact, name };
      const line = named
        ? keptLine(named)
        : `[Kept without a name, as this turn has ${MAX_NAMES}: ${artifact.mediaType}, ${artifact.bytes} bytes]`;
      content = content.map((block) =>
        isAbout(block, artifact) ? retold(block, keptLine(artifact), line) : block,
      );
      if (!named) continue;
      this.#byName.set(nameKey(named.name), named);
      artifacts.push(named);
    }
    return { ...rest, content, ...(artifacts.length > 0 && { artifacts }) };
  }

  #freeName(wanted: string): string | undefined {
    if (this.#byName.size >= MAX_NAMES) return undefined;
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : shortened(wanted, `-${count}`);
      if (!this.#byName.has(nameKey(name))) return name;
    }
  }

  /** The answer to a call that names what is not there; undefined where all of it is. */
  refused(call: {
    callId: string;
    name: string;
    artifacts?: readonly string[];
  }): ToolResultBlock | undefined {
    const missing = (call.artifacts ?? []).filter((name) => !this.get(name));
    if (missing.length === 0) return undefined;
    const names = this.list().map(({ name }) => name);
    const lines = missing.map(
      (name) => `\n- There is no artifact ${JSON.stringify(name)}. ${near(name, names)}`,
    );
    const text = `Error: ${call.name} was not run.${lines.join('')}`;
    return answer({ id: call.callId, name: call.name }, 'error', 'no_such_artifact', text);
  }
}

function near(wanted: string, names: readonly string[]): string {
  const similar = similarNames(wanted, names);
  if (similar.length > 0) return `Near it: ${similar.join(', ')}.`;
  const last = names.slice(-TOLD_NAMES).join(', ');
  if (last === '') return 'This turn has none yet.';
  return names.length > TOLD_NAMES ? `The last ${TOLD_NAMES} are: ${last}.` : `There are: ${last}.`;
}

/** Those that an answer names, which are handed up with it. */
export function namedIn(answer: string, artifacts: readonly NamedArtifact[] = []): NamedArtifact[] {
  return artifacts.filter(({ name }) => answer.includes(name)).slice(-MAX_HANDED_UP);
}

/** The result of a sub-agent's call with what its answer names, each told by a block of its own. */
export function withHandedUp(result: ToolResultBlock, given: readonly NamedArtifact[] = []): ToolResultBlock {
  if (given.length === 0) return result;
  const { callId, name: agent, content } = result;
  const artifacts = given.map((each, at) => ({ ...each, blockId: `${callId}.${content.length + at}` }));
  const blocks = artifacts.map((each): TextBlock => {
    return { type: 'text', id: each.blockId, text: `${keptLine(each)} It is ${each.name} of ${agent}.` };
  });
  return { ...result, content: [...content, ...blocks], artifacts };
}

export function artifactsIn(messages: readonly Message[]): NamedArtifact[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.content.flatMap(({ artifacts = [] }) => artifacts) : [],
  );
}

/** Names that differ by no more than this are the same, however a model or a person writes them. */
export function nameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** The names that artifacts have, by how somebody writes them; what nobody knows stays as it is written. */
export function namesOf(known: () => readonly NamedArtifact[]): (written: string) => string {
  let names: Map<string, string> | undefined;
  return (written) => {
    names ??= new Map(known().map(({ name }) => [nameKey(name), name]));
    return names.get(nameKey(written)) ?? written;
  };
}

type Shown = ToolResultBlock['content'][number];

function isAbout(block: Shown, { blockId }: NamedArtifact): block is TextBlock {
  return block.type === 'text' && block.id === blockId;
}

function retold(block: TextBlock, before: string, line: string): TextBlock {
  return block.text.startsWith(before) ? { ...block, text: line + block.text.slice(before.length) } : block;
}
