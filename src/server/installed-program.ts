import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { checkProgram, type SourceResult } from './program-source.js';

const PROGRAM = 'temporal';
const MARKER = 'installed.json';
const WORK_FOLDER_PREFIX = '.unpacking-';
const ABANDONED_AFTER_MS = 60 * 60_000;

/** Written beside the program before both move into the cache. Sizes in bytes, hashes in hex. */
const marker = z.object({ name: z.string(), sha256: z.string(), size: z.number() });

/** The folder of one program: the platform is in its name, for homes that several machines share. */
function installFolder(cacheDir: string, name: string): string {
  return join(cacheDir, 'temporal', `${name}-${process.platform}-${process.arch}`);
}

/**
 * The program installed under `name`, if it is whole. Its size is compared with the marker, not its hash: hashing 156 MB
 * at each start costs more than the start, and the hash was checked before the program got its name.
 */
export async function installedProgram(cacheDir: string, name: string): Promise<string | undefined> {
  const folder = installFolder(cacheDir, name);
  try {
    const expected = marker.parse(JSON.parse(await readFile(join(folder, MARKER), 'utf8')));
    const program = join(folder, PROGRAM);
    const { size } = await stat(program);
    return size === expected.size && expected.name === name ? program : undefined;
  } catch {
    return undefined;
  }
}

/** Runs `work` in a fresh folder inside the cache (so that moving from it is atomic), which is gone afterwards. */
export async function inWorkFolder<T>(cacheDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const parent = join(cacheDir, 'temporal');
  const folder = join(parent, `${WORK_FOLDER_PREFIX}${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  await removeAbandoned(parent);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An interrupted download leaves 200 MB behind; one that is still at work is younger than its own time limit. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (!name.startsWith(WORK_FOLDER_PREFIX)) continue;
    const changedAt = await stat(folder).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - changedAt > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Moves `file` into the cache as the program `name`, once it has shown that it runs here. Two processes may do so at once:
 * the folder appears whole, by one rename, and who comes second uses the first one's.
 */
export async function installProgram(cacheDir: string, name: string, file: string): Promise<SourceResult> {
  await chmod(file, 0o755);
  const checked = await checkProgram(file);
  if (checked.type === 'failed') return checked;
  const staged = join(dirname(file), `staged-${randomUUID()}`);
  await mkdir(staged);
  const { size } = await stat(file);
  await writeFile(join(staged, MARKER), JSON.stringify({ name, sha256: await sha256Of(file), size }));
  await rename(file, join(staged, PROGRAM));
  const folder = installFolder(cacheDir, name);
  try {
    await rename(staged, folder);
  } catch {
    if ((await installedProgram(cacheDir, name)) === undefined) {
      // What is there is damaged. Moved aside instead of removed in place, which is not atomic.
      await rename(folder, join(dirname(file), `damaged-${randomUUID()}`));
      await rename(staged, folder);
    }
  }
  return { type: 'found', program: join(folder, PROGRAM) };
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
