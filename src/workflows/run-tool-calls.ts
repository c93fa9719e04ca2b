import type { ModelReply } from '../shared/activities.js';
import type { ToolCallBlock } from '../shared/messages.js';
import { toolMessage } from '../shared/transcript.js';
import type { Interventions } from './interventions.js';
import { ToolRound } from './tool-round.js';
import type { TurnRun } from './turn-run.js';

/**
 * Runs the calls of one reply and adds one result for each to the transcript, whatever happens: it never throws. Calls run side by
 * side, except that one whose tool says `parallel: false` waits for those before it and holds back those after it, and that
 * those with the same concurrency key run in request order. Calls that a
 * person is to approve wait for that, and others do not wait for them.
 */
export async function runToolCalls(
  run: TurnRun,
  { message, calls: planned }: ModelReply,
  calls: readonly ToolCallBlock[],
  interventions: Interventions,
): Promise<void> {
  const round = new ToolRound(run, planned, interventions);
  await interventions.waitFor(round.runAll(), round.settleMs);
  const results = toolMessage(`${message.id}-results`, calls, round.close());
  run.transcript.add(run.artifacts.named(results));
  run.show();
}
