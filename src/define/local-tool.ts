import { type Duration, durationMs } from '../shared/duration.js';

/** Signals and queries of a turn wait for its local activities. */
export const LONGEST_LOCAL_MS = 1000;

type LocalOptions = {
  name: string;
  execution?: 'activity' | 'local' | undefined;
  idempotent?: boolean | undefined;
  timeout?: Duration | undefined;
};

/** Throws where it is asked for and can't be. */
export function runsLocally(options: LocalOptions): boolean {
  const { name, execution = 'activity', idempotent, timeout } = options;
  if (execution === 'activity') return false;
  if (execution !== 'local')
    throw new TypeError(
      `Tool ${name}, execution: use 'activity' or 'local', not ${JSON.stringify(execution)}.`,
    );
  if (!idempotent)
    throw new TypeError(
      `Tool ${name}, execution: a crash runs a local tool again. Say idempotent: true if it may, else leave execution out.`,
    );
  if (timeout !== undefined && durationMs(`Tool ${name}, timeout`, timeout) > LONGEST_LOCAL_MS)
    throw new RangeError(
      `Tool ${name}, timeout: a local tool may take 1 second at most, as people's messages wait for it. Give it less, or leave execution out.`,
    );
  return true;
}
