import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerError } from './server-error.js';

/** Longer than a download and a start together. */
const WAIT_LIMIT_MS = 15 * 60_000;
const POLL_MS = 50;

/**
 * Runs `start` while no other process does so for this data folder. The lock is a file that names its process; one left
 * by a process that has ended is removed.
 * @throws ServerError `Server.StartTimedOut` when the lock stays held for 15 minutes.
 */
export async function withStartLock<T>(
  dataDir: string,
  onWait: () => void,
  start: () => Promise<T>,
): Promise<T> {
  const lock = join(dataDir, 'start.lock');
  const deadline = Date.now() + WAIT_LIMIT_MS;
  let waited = false;
  while (!(await tryLock(lock))) {
    if (await removeIfStale(lock)) continue;
    if (Date.now() > deadline) {
      const message = `Another process has been starting the Temporal server for 15 minutes. If none is, remove ${lock}.`;
      throw new ServerError('Server.StartTimedOut', message);
    }
    if (!waited) onWait();
    waited = true;
    await delay(POLL_MS);
  }
  try {
    return await start();
  } finally {
    await rm(lock, { force: true });
  }
}

/** By a hard link of a finished file, so that nobody ever reads a lock without its process id. */
async function tryLock(lock: string): Promise<boolean> {
  const draft = `${lock}.${randomUUID()}`;
  await writeFile(draft, String(process.pid));
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Moves a stale lock aside before it removes it: of two processes that see it, one rename succeeds. */
async function removeIfStale(lock: string): Promise<boolean> {
  const holder = await readFile(lock, 'utf8').catch(() => undefined);
  if (holder === undefined) return true;
  const age =
    Date.now() -
    (await stat(lock).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    ));
  if (isAlive(Number(holder)) && age < WAIT_LIMIT_MS) return false;
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
    // A new holder's lock, taken between the two lines above, is put back.
    if ((await readFile(aside, 'utf8')) !== holder) await link(aside, lock);
  } catch {
    // Another process was quicker.
  } finally {
    await rm(aside, { force: true });
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
