import { isDeepStrictEqual } from 'node:util';
import { endsAskedFor } from './count-ended.js';
import { type Records, resultsOf, type ToolResult, type TurnEvidence } from './evidence.js';

/**
 * What is wrong with the results of one turn, one line each. Every call has exactly one result; what a tool was
 * acknowledged for is what the transcript says; and each result is borne out by the ledger, or by a crash or an
 * interrupt that did happen.
 */
export function resultProblems(turn: TurnEvidence, records: Records): string[] {
  const results = resultsOf(turn.messages.slice(turn.deltaFrom));
  return [
    ...missingResults(turn, results),
    ...completionsNotTold(turn, results),
    ...results.flatMap((result) => {
      const problem = unfounded(turn, result, records);
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return problem === undefined
        ? []
        : [`${turn.turnId} ${result.name} ${result.callId}: ${problem}: ${text}`];
    }),
    ...toldOtherwise(turn, results),
  ];
}

function missingResults(turn: TurnEvidence, results: readonly ToolResult[]): string[] {
  const calls = turn.messages.slice(turn.deltaFrom).flatMap((message) => {
    return message.role === 'assistant' ? message.content.filter((block) => block.type === 'tool_call') : [];
  });
  return calls.flatMap((call) => {
    const count = results.filter((result) => result.callId === call.id).length;
    return count === 1 ? [] : [`${turn.turnId} ${call.name} ${call.id}: ${count} results`];
  });
}

/** A completion that the server has taken, and that the transcript does not tell. */
function completionsNotTold(turn: TurnEvidence, results: readonly ToolResult[]): string[] {
  // The one timer of a turn is the end of the wait after an interrupt: what comes later is not waited for.
  const settled = turn.events.findIndex((event) => event.timerFiredEventAttributes);
  const limit = settled < 0 ? Number.POSITIVE_INFINITY : settled;
  return turn.activityEnds
    .filter((end) => end.kind === 'completed' && end.callId !== undefined && end.place < limit)
    .filter((end) => !results.some((result) => isDeepStrictEqual(result, end.result)))
    .map((end) => `${turn.turnId} ${end.activityId}: its recorded result is not in the transcript`);
}

/** The transcript that is rebuilt from the history alone says of every call what the turn itself says. */
function toldOtherwise(turn: TurnEvidence, results: readonly ToolResult[]): string[] {
  const rebuilt = resultsOf(turn.rebuilt.slice(turn.deltaFrom));
  return results.flatMap((result) => {
    const other = rebuilt.find((each) => each.callId === result.callId);
    const [told, retold] = [result, other].map((each) => each?.cause ?? each?.status);
    const where = `${turn.turnId} ${result.name} ${result.callId}`;
    return isDeepStrictEqual(result, other)
      ? []
      : [`${where}: told as ${told}, in its history it is ${retold}`];
  });
}

/** Why nothing in the ledger or among the deeds bears out this result; undefined where something does. */
function unfounded(turn: TurnEvidence, result: ToolResult, records: Records): string | undefined {
  const lines = records.ledger.filter(({ key }) => isKeyOf(key, turn.turnId, result.callId));
  const began = lines.some((line) => line.event === 'began');
  const returned = lines.some((line) => line.event === 'ended' && line.how === 'returned');
  const tookEffect = lines.some((line) => line.event === 'effect');
  switch (result.status) {
    case 'ok':
      return returned || tookEffect ? undefined : 'it is told as done, and was not';
    case 'error':
      if (result.cause === 'tool_threw' && result.name === 'flaky' && began) return undefined;
      if (result.cause === 'did_not_happen' && !tookEffect) return undefined;
      return `it is told as ${result.cause}, and ${tookEffect ? 'took effect' : 'nothing like it happened'}`;
    case 'unknown':
      return workerWasLost(turn, result, records)
        ? undefined
        : 'it is told as unknown, and no worker was lost';
    case 'interrupted':
      if (endsAskedFor(turn.turnId, records).length === 0) return 'nobody interrupted the turn';
      return result.cause === 'not_started' && began ? 'it is told as not started, and ran' : undefined;
    default:
      return `its status is ${result.status}`;
  }
}

/** A process that had an activity of the call was killed; or it has lost its lease, and went on all the same. */
function workerWasLost(turn: TurnEvidence, { callId }: ToolResult, records: Records): boolean {
  const ends = turn.activityEnds.filter((end) => end.callId === callId);
  const pids = records.activities.flatMap(({ turnId, activityId, pid }) =>
    turnId === turn.turnId && ends.some((end) => end.activityId === activityId) ? [pid] : [],
  );
  const wasKilled = records.deeds.some((deed) => deed.deed === 'killed' && pids.includes(deed.pid));
  const wentOn = records.ledger.some(
    ({ event, key }) => event === 'ended' && isKeyOf(key, turn.turnId, callId),
  );
  return wasKilled || (wentOn && ends.some((end) => end.kind === 'timed_out'));
}

/** The script gives each call of a turn an id of its own, whichever iteration it is in. */
function isKeyOf(key: string, turnId: string, callId: string): boolean {
  return key.startsWith(`${turnId}/`) && key.endsWith(`/${callId}`);
}
