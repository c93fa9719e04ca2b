import { AsyncLocalStorage } from 'node:async_hooks';
import { basename } from 'node:path';
import { z } from 'zod';
import { ANY_BYTES, isMediaType, mediaTypeOf, nameFor } from '../shared/media-types.js';

const IS_ARTIFACT: unique symbol = Symbol.for('holdfast.artifact');

export type ArtifactOptions = {
  /** Default: the file's name, or `image.png` and the like. A second one of that name in a turn becomes `chart-2.png`. */
  name?: string;
  /** Default: by the name's ending. */
  mediaType?: string;
} & (
  | { data: string | Uint8Array; path?: never }
  /** A file that the worker can read; it is copied. */
  | { path: string; data?: never }
);

/** What a tool returns so that it is kept under a name: made by {@link artifact}. */
export type ReturnedArtifact = {
  readonly [IS_ARTIFACT]: true;
  readonly name: string;
  readonly mediaType: string;
  readonly data?: string | Uint8Array;
  readonly path?: string;
};

/**
 * What a tool returns, alone or in a list with texts and images, to give out an object: an image, a sound, a file, a table
 * as CSV or Parquet. The model sees its name and the beginning of it, and hands it to another tool by writing the name.
 */
export function artifact({ name, mediaType, data, path }: ArtifactOptions): ReturnedArtifact {
  const isData = typeof data === 'string' || data instanceof Uint8Array;
  if (isData === (typeof path === 'string')) {
    throw new TypeError('artifact: give its data, a text or bytes, or the path of a file, and not both.');
  }
  if (mediaType !== undefined && !isMediaType(mediaType)) {
    throw new TypeError(`artifact: ${JSON.stringify(mediaType)} is no media type, such as image/png.`);
  }
  const file = name ?? (path === undefined ? undefined : basename(path));
  const type =
    mediaType ??
    (file ? mediaTypeOf(file) : undefined) ??
    (typeof data === 'string' ? 'text/plain' : ANY_BYTES);
  return {
    [IS_ARTIFACT]: true,
    name: file || nameFor(type),
    mediaType: type,
    ...(isData && { data }),
    ...(path !== undefined && { path }),
  };
}

/** An agent's module may load another copy of this one than the worker that serves it. */
export function isReturnedArtifact(value: unknown): value is ReturnedArtifact {
  return typeof value === 'object' && value !== null && IS_ARTIFACT in value;
}

/** An artifact as a tool is given it. Each may be asked for more than once. */
export type Artifact = {
  name: string;
  mediaType: string;
  /** In bytes. */
  size: number;
  bytes(): Promise<Uint8Array>;
  /** As UTF-8. */
  text(): Promise<string>;
  /** Of a copy on this machine, which is gone once the tool has ended. */
  path(): Promise<string>;
};

/** What a name means where arguments are read; undefined where it means nothing. */
type Finder = (name: string) => Artifact | undefined;
const finders = new AsyncLocalStorage<Finder>();

/** Reads arguments with the artifacts that their names mean. */
export function findingArtifacts<Result>(find: Finder, read: () => Result): Result {
  return finders.run(find, read);
}

/**
 * Reads arguments and says which artifacts they name, as they are written, without having any. `nameOf` tells the name that
 * the artifact has.
 */
export async function withNames<Result>(
  nameOf: (written: string) => string,
  read: () => Promise<Result>,
): Promise<{ result: Result; names: string[] }> {
  const names = new Set<string>();
  const find = (written: string) => {
    names.add(written);
    return nameAlone(nameOf(written));
  };
  const result = await finders.run(find, read);
  return { result, names: [...names] };
}

/**
 * An argument that is an artifact: the model writes its name, and the tool gets the object. A name that means nothing never
 * reaches the tool: the model is told which names are near.
 */
export function artifactInput(description = 'The name of an artifact, such as chart.png') {
  return z
    .string()
    .min(1)
    .describe(description)
    .transform((name, context): Artifact => {
      const find = finders.getStore() ?? nameAlone;
      const found = find(name);
      if (found) return found;
      context.addIssue({ code: 'custom', message: `There is no artifact ${JSON.stringify(name)}` });
      return z.NEVER;
    });
}

/** Where a call is planned or approved there is nothing but the name. */
function nameAlone(name: string): Artifact {
  const notYet = () =>
    Promise.reject(new Error(`The artifact ${name} can be read while the tool runs, and not before.`));
  return { name, mediaType: ANY_BYTES, size: 0, bytes: notYet, text: notYet, path: notYet };
}
