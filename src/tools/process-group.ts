import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 500;
const KILLED_MS = 1_000;
const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 80;

/**
 * Ends every process of a group: SIGTERM, and SIGKILL half a second later for what is still there. Resolves when none
 * is left, or a second after the SIGKILL (a process in an uninterruptible wait). Call it while the group's leader
 * hasn't been collected, or soon after: later its id may be somebody else's.
 */
export async function endProcessGroup(groupId: number): Promise<void> {
  if (!signalGroup(groupId, 'SIGTERM')) return;
  if (await isGoneWithin(groupId, GRACE_MS)) return;
  signalGroup(groupId, 'SIGKILL');
  await isGoneWithin(groupId, KILLED_MS);
}

async function isGoneWithin(groupId: number, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let wait = FIRST_POLL_MS; performance.now() < deadline; wait = Math.min(2 * wait, MAX_POLL_MS)) {
    if (!signalGroup(groupId, 0) || (await isAllZombies(groupId))) return true;
    await sleep(wait);
  }
  return false;
}

/** False when no process got it: none is left, or (EPERM) none that is ours or alive (macOS says so of zombies). */
function signalGroup(groupId: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    return false;
  }
}

/**
 * Whether the group's members are all dead and only wait to be collected. In a container whose process 1 collects
 * nobody (Docker without --init) they do so for ever, and kill(2) counts them. False where there is no /proc.
 */
async function isAllZombies(groupId: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const states = await Promise.all(
    (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(stateIn(groupId)),
  );
  const members = states.filter((state) => state !== undefined);
  return members.length > 0 && members.every((state) => state === 'Z' || state === 'X');
}

/** The state letter of a process that is in the group; see proc_pid_stat(5). */
function stateIn(groupId: number): (pid: string) => Promise<string | undefined> {
  return async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The name, in parentheses, may itself hold spaces and parentheses.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === groupId ? state : undefined;
  };
}
