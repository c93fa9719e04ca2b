// The judge, a process of its own: it counts from the ledger and the event histories, and trusts no word of the runner.
import { AgentClient } from 'holdfast/client';
import { makePlan, type PlannedTurn } from '../plan.js';
import { endProblem } from './count-ended.js';
import { refusalOf } from './count-refused.js';
import { repeatedCalls } from './count-repeated.js';
import { resultProblems } from './count-results.js';
import { steerProblems } from './count-steers.js';
import { loadRecords, loadTurn, type TurnEvidence } from './evidence.js';
import { percentile, recoveries } from './recovery.js';
import { summary } from './summary.js';

const LOADED_AT_ONCE = 8;
const SHOWN_PROBLEMS = 8;

const [, , address = '', folder = '', turnCount = '', seed = '', continueEvery] = process.argv;
const client = await AgentClient.connect({ address });
const plan = makePlan(
  Number(turnCount),
  Number(seed),
  continueEvery === undefined ? undefined : Number(continueEvery),
);
const records = loadRecords(folder);
const turns = await loadAll(plan.turns);
const found = [...turns.values()];
/** What a turn that was cut short still waits for is not lost: that it is open is a problem of its own. */
const closed = found.filter((turn) => turn.closed !== undefined);

const problems = {
  ended: plan.turns.flatMap((turn) => endProblem(turn, turns.get(turn.turnId), records) ?? []),
  repeated: repeatedCalls(records),
  resultsLost: closed.flatMap((turn) => resultProblems(turn, records)),
  steersLost: (await Promise.all(closed.map((turn) => steerProblems(turn, records, client)))).flat(),
  refused: [...records.refusals.map(({ why }) => why), ...closed.flatMap((turn) => refusalOf(turn) ?? [])],
};
const recovered = recoveries(found, records);
const recoveryMs = recovered.map(({ ms }) => ms);

console.log(summary(records, found, recovered));
for (const [figure, lines] of Object.entries(problems)) {
  for (const line of lines.slice(0, SHOWN_PROBLEMS)) console.log(`${figure}: ${line}`);
}
console.log(
  JSON.stringify({
    turns: plan.turns.length,
    ended: plan.turns.length - problems.ended.length,
    repeated: problems.repeated.length,
    resultsLost: problems.resultsLost.length,
    steersLost: problems.steersLost.length,
    refused: problems.refused.length,
    recoveryMs: { median: percentile(recoveryMs, 0.5), p95: percentile(recoveryMs, 0.95) },
  }),
);
await client.close();
process.exitCode = Object.values(problems).some((lines) => lines.length > 0) ? 1 : 0;

async function loadAll(planned: readonly PlannedTurn[]): Promise<Map<string, TurnEvidence>> {
  const loaded = new Map<string, TurnEvidence>();
  const waiting = [...planned];
  const lanes = Array.from({ length: LOADED_AT_ONCE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const turn = await loadTurn(client.client, next);
      if (turn) loaded.set(next.turnId, turn);
    }
  });
  await Promise.all(lanes);
  return loaded;
}
