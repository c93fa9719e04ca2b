import { lstatSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../usage-error.js';

export type InitOptions = {
  /** Where Holdfast's own package.json is, and beside it what a project is made of. */
  packageFolder: string;
  /** What the project asks npm for. */
  holdfast: string;
};

/** In the package: the template, whose files have `{{name}}` and `{{holdfast}}` in them. */
const TEMPLATE = 'templates/agent';
/** A file of this name is left out of a package, or read by npm as its own. */
const DOTTED = ['gitignore', 'dockerignore'];
/** Holdfast's own set-up, which serves any project. */
const SHARED = [
  'docker-compose.yml',
  'deploy/dynamic-config.yaml',
  'deploy/setup-schema.sh',
  'deploy/setup-namespace.sh',
];
/** It becomes a package's name, an agent's and a task queue's. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const FILES_SHOWN = 3;

/**
 * Writes a small project into a new or empty folder, and nothing anywhere else. Throws a UsageError where the folder's
 * name can't be a package's, or where something is there; then nothing was written.
 */
export async function initProject(folder: string, options: InitOptions) {
  if (folder === '') throw new UsageError(`The folder's name is empty. ${NOTHING_WRITTEN}`);
  const target = resolve(folder);
  const name = checkedName(basename(target));
  await refuseUsed(target, folder);
  const files = [...(await templateFiles(options)), ...SHARED.map((file) => [file, file] as const)];
  const written: string[] = [];
  for (const [from, to] of files) {
    const text = await readFile(join(options.packageFolder, from), 'utf8');
    const path = join(target, to);
    await mkdir(dirname(path), { recursive: true });
    // `wx`: were it there after all, by somebody who writes at the same time, it is not overwritten.
    await writeFile(path, filledIn(text, name, options), { flag: 'wx' });
    written.push(to);
  }
  return { name, folder: target, files: written.sort() };
}

function filledIn(text: string, name: string, { holdfast }: InitOptions): string {
  return text.replaceAll('{{name}}', name).replaceAll('{{holdfast}}', JSON.stringify(holdfast).slice(1, -1));
}

function checkedName(name: string): string {
  if (NAME.test(name) && name !== 'node_modules') return name;
  throw new UsageError(
    `"${name}" can't be a project's name. Use lower-case letters, digits and - . _, at most 64 and a letter or a digit ` +
      'first, as in: holdfast init my-agent',
  );
}

async function refuseUsed(target: string, folder: string): Promise<void> {
  const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      if (!lstatSync(target, { throwIfNoEntry: false })) return [];
      throw new UsageError(`${target} is a link that leads nowhere. ${NOTHING_WRITTEN}`);
    }
    if (error.code === 'ENOTDIR') throw new UsageError(`${target} is a file. ${NOTHING_WRITTEN}`);
    throw new UsageError(`${target} can't be read (${error.code}). ${NOTHING_WRITTEN}`);
  });
  if (entries.length === 0) return;
  const shown = entries.slice(0, FILES_SHOWN).join(', ') + (entries.length > FILES_SHOWN ? ', ...' : '');
  throw new UsageError(`The folder ${folder} is not empty: it has ${shown}. ${NOTHING_WRITTEN}`);
}

const NOTHING_WRITTEN = 'Nothing was written. Name a new folder, as in: holdfast init my-agent';

async function templateFiles({ packageFolder }: InitOptions) {
  const entries = await readdir(join(packageFolder, TEMPLATE), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name).slice(join(packageFolder, TEMPLATE).length + 1);
      return [`${TEMPLATE}/${path}`, DOTTED.includes(path) ? `.${path}` : path] as const;
    });
}
