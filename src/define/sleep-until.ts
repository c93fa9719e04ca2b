import { z } from 'zod';
import { type Duration, durationMs } from '../shared/duration.js';
import type { Tool } from './define-tool.js';
import { makeTool } from './make-tool.js';

const input = z.object({
  until: z
    .string()
    .describe(
      'How long, as "10 minutes", "2 hours" or "3 days"; or an ISO 8601 time, as "2026-12-24T18:00:00+01:00", without an offset UTC',
    ),
  reason: z.string().max(500).optional().describe('What is waited for, for those who watch'),
});

const LONGEST: Duration = '30 days';
/** A workflow may wait longer, and nobody would remember why. */
const MOST_MS = 366 * 86_400_000;

/**
 * The tool `sleep_until`: the turn sleeps on a durable timer, for days if need be, and no worker is busy meanwhile. A message
 * that is sent into the turn wakes it. `max`: the longest sleep, 30 days unless set, and a year at most.
 */
export function sleepUntil(options: { max?: Duration } = {}): Tool<typeof input, string> {
  const maxMs = durationMs('sleepUntil, max', options.max ?? LONGEST);
  if (maxMs > MOST_MS) throw new RangeError('sleepUntil, max: at most 366 days.');
  const tool = makeTool({
    name: 'sleep_until',
    description:
      'Waits until a time, or for a while, and then goes on. A message of the user ends the wait. Use it where something takes long, rather than asking for it again and again.',
    input,
    idempotent: true,
    repeatable: true,
    effects: 'none',
    run: () => 'Nobody slept: this worker is older than the turn.',
  });
  return { ...tool, sleeps: { maxMs } };
}
