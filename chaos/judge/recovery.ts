import type { Deed } from '../records.js';
import { type ActivityEnd, msOf, type Records, type TurnEvidence } from './evidence.js';

type Kill = Extract<Deed, { deed: 'killed' }>;
/** `why`: what it had been running of that turn and how each of these ended, and what else the turn waited for. */
export type Recovery = { turnId: string; pid: number; ms: number; why: string };

/**
 * For each SIGKILL of a supervised worker and each turn that had an activity running in it: from the kill until the
 * turn has gone on with the end of such an activity, be it that of a new try, of a restart or of what a check found.
 */
export function recoveries(turns: readonly TurnEvidence[], records: Records): Recovery[] {
  const kills = records.deeds.filter((deed) => deed.deed === 'killed' && deed.supervised) as Kill[];
  return kills.flatMap((kill) =>
    turns.flatMap((turn) => {
      const ids = lostActivities(turn.turnId, kill, records);
      const ms = Math.min(...ids.map((id) => wentOnAt(turn, id, kill.at))) - kill.at;
      const lost = ids.map((id) => `${id} ${endAfter(turn, id, kill.at)?.kind ?? 'left behind'}`).join(', ');
      const timeouts = workflowTaskTimeouts(turn, kill.at, kill.at + ms).map((kind) => `, ${kind}`);
      const why = lost + timeouts.join('');
      return Number.isFinite(ms) ? [{ turnId: turn.turnId, pid: kill.pid, ms, why }] : [];
    }),
  );
}

/** The ids of the turn's activities that had begun in the process, and had not ended. */
function lostActivities(turnId: string, kill: Kill, { activities }: Records): string[] {
  const open = new Set<string>();
  for (const line of activities) {
    if (line.pid !== kill.pid || line.turnId !== turnId) continue;
    if (line.event === 'began') open.add(line.activityId);
    else open.delete(line.activityId);
  }
  return [...open];
}

/** When the workflow had its first task done after the activity's end, or had closed; infinite where it never did. */
function wentOnAt(turn: TurnEvidence, activityId: string, from: number): number {
  const end = endAfter(turn, activityId, from);
  const went = turn.events.find((event, place) => {
    const after = end && place > end.place && event.workflowTaskCompletedEventAttributes;
    return after || event === turn.events.at(-1);
  });
  return went ? msOf(went.eventTime) : Number.POSITIVE_INFINITY;
}

const TIMEOUT_TYPES = ['', 'start-to-close', 'schedule-to-start'];

/** The kinds of its workflow tasks' timeouts between two times: what a worker had in hand when it died, or on its queue. */
export function workflowTaskTimeouts(
  { events }: TurnEvidence,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): string[] {
  return events.flatMap((event) => {
    const timedOut = event.workflowTaskTimedOutEventAttributes;
    const at = msOf(event.eventTime);
    return timedOut && at > from && at < to ? [TIMEOUT_TYPES[timedOut.timeoutType ?? 0] ?? ''] : [];
  });
}

function endAfter(turn: TurnEvidence, activityId: string, from: number): ActivityEnd | undefined {
  return turn.activityEnds.find((end) => end.activityId === activityId && end.at > from);
}

/** The value below which this share of them lies, whole milliseconds; null where there are none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return value === undefined ? null : Math.round(value);
}
