import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactSource } from '../shared/artifacts.js';
import type { ArtifactStore, ByteRange } from './artifact-store.js';

const ARTIFACT = /^[0-9a-f]{64}$/;
const DRAFT = /^[0-9a-f]{64}\..*\.draft$/;
/** No writer takes longer; its draft is one of a process that died. */
const OLDEST_DRAFT_MS = 3_600_000;

/** In the user's data folder, beside the embedded server's. */
export function defaultArtifactFolder(): string {
  const data = process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
  return process.env['HOLDFAST_ARTIFACTS'] || join(data, 'holdfast', 'artifacts');
}

/**
 * Artifacts as files of one folder, for its owner only; it is made at the first one. A file is there whole or not at
 * all, and once it is, it outlasts a power failure.
 */
export function localArtifacts(folder: string = defaultArtifactFolder()): ArtifactStore {
  const pathOf = (key: string) => join(folder, key.slice(0, 2), key);
  const draftOf = (key: string) => `${pathOf(key)}.${randomUUID()}.draft`;
  return {
    async put(key, content) {
      await mkdir(join(folder, key.slice(0, 2)), { recursive: true, mode: 0o700 });
      const draft = draftOf(key);
      try {
        await writeSynced(draft, content);
        // Over one that is there, too: it may be damaged, and is to count as stored now.
        await rename(draft, pathOf(key));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async get(key, range) {
      const path = pathOf(key);
      return await unlessAbsent(range ? readRange(path, range) : readFile(path));
    },
    async deleteOlderThan(time) {
      let deleted = 0;
      const draftTime = new Date(Math.max(time.getTime(), Date.now() - OLDEST_DRAFT_MS));
      for (const { path, name } of await filesIn(folder)) {
        if (DRAFT.test(name) && (await isOlder(path, draftTime))) await rm(path, { force: true });
        if (!ARTIFACT.test(name) || !(await isOlder(path, time))) continue;
        if (await deleteUnlessRenewed(path, draftOf(name), time)) deleted += 1;
      }
      return deleted;
    },
  };
}

async function writeSynced(path: string, content: Uint8Array | ArtifactSource): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    if (content instanceof Uint8Array) await handle.writeFile(content);
    else for await (const piece of content.read()) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readRange(path: string, { from, to }: ByteRange): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(to, (await handle.stat()).size) - from));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Between the look at its age and its removal somebody may store it again: it is taken aside, and looked at there. */
async function deleteUnlessRenewed(path: string, aside: string, time: Date): Promise<boolean> {
  // Another worker that cleans up may have been quicker.
  if ((await unlessAbsent(rename(path, aside).then(() => true))) === undefined) return false;
  if (await isOlder(aside, time)) {
    await rm(aside, { force: true });
    return true;
  }
  await unlessAbsent(rename(aside, path));
  return false;
}

async function isOlder(path: string, time: Date): Promise<boolean> {
  const found = await unlessAbsent(stat(path));
  return found !== undefined && found.mtime < time;
}

/** Of the folders that artifacts are in. */
async function filesIn(folder: string): Promise<{ path: string; name: string }[]> {
  const folders = (await unlessAbsent(readdir(folder))) ?? [];
  const found = folders
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .map(async (name) => {
      const names = (await unlessAbsent(readdir(join(folder, name)))) ?? [];
      return names.map((each) => ({ path: join(folder, name, each), name: each }));
    });
  return (await Promise.all(found)).flat();
}

/** Undefined for a file that is not there; any other fault is thrown. */
async function unlessAbsent<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
