import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactStore } from './artifact-store.js';

/** In the user's data folder, beside the embedded server's. */
export function defaultArtifactFolder(): string {
  const data = process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
  return process.env['HOLDFAST_ARTIFACTS'] || join(data, 'holdfast', 'artifacts');
}

/** Artifacts as files of one folder; it is made at the first one. A file is there whole or not at all. */
export function localArtifacts(folder: string = defaultArtifactFolder()): ArtifactStore {
  const pathOf = (key: string) => join(folder, key.slice(0, 2), key);
  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const now = new Date();
      if (await utimes(path, now, now).then(() => true, isAbsent)) return;
      await mkdir(join(folder, key.slice(0, 2)), { recursive: true });
      const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      await writeFile(draft, bytes);
      await rename(draft, path);
    },
    async get(key) {
      return await readFile(pathOf(key)).catch((error: unknown) => {
        isAbsent(error);
        return undefined;
      });
    },
    async deleteOlderThan(time) {
      let deleted = 0;
      const names = await readdir(folder, { recursive: true }).catch(() => []);
      for (const name of names) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        if (!found?.isFile() || found.mtime >= time) continue;
        await rm(path, { force: true });
        deleted += 1;
      }
      return deleted;
    },
  };
}

/** False for a file that is not there; any other fault is thrown. */
function isAbsent(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
  throw error;
}
