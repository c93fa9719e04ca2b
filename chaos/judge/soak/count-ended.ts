import type { Deed } from '../../records.js';
import type { SessionRecord } from './record.js';

/** Why a session, or one of its turns, has not ended as it should, one line each. */
export function endedProblems(session: SessionRecord, deeds: readonly Deed[]): string[] {
  const { sessionId, ended, turns } = session;
  const mayEnd = deeds.some((deed) => {
    if (deed.deed === 'session_interrupted') return deed.sessionId === sessionId;
    return deed.deed === 'said' && deed.sessionId === sessionId && deed.whileBusy === 'replace';
  });
  const expected = mayEnd ? ['completed', 'interrupted'] : ['completed'];
  // One that steers has a turn of its own only where none ran.
  const asked = deeds.flatMap((deed) =>
    deed.deed === 'said' && deed.sessionId === sessionId && deed.whileBusy !== 'steer' ? [deed] : [],
  );
  const open = asked.filter(({ answer }) => answer !== 'no_answer').map(({ id }) => `${sessionId}/${id}`);
  const started = turns.map(({ turnId }) => turnId);
  return [
    ...(ended === 'completed' ? [] : [`${sessionId} is ${ended}`]),
    ...open.filter((turnId) => !started.includes(turnId)).map((turnId) => `${turnId} was never started`),
    ...turns
      .filter((turn) => !expected.includes(turn.ended))
      .map((turn) => `${turn.turnId} ended as ${turn.ended}`),
  ];
}
