import { CancellationScope, CancelledFailure, condition, patched } from '@temporalio/workflow';
import type { CarriedSession } from '../../shared/carried-session.js';
import type { SessionInput, SessionOutcome } from '../../shared/session.js';
import { compactBetweenTurns } from './compact.js';
import { continueInNextRun, isNextRunDue } from './next-run.js';
import { readCarriedSession, readSessionInput } from './read-session-input.js';
import { listen } from './session-messages.js';
import { answerQueries } from './session-queries.js';
import { SessionRun } from './session-run.js';
import { collected, LiveTurn } from './session-turn.js';

const ENDED_IN_INPUT = 'turns-that-end-as-they-begin';

/**
 * A conversation: its messages, and the turns that wait for theirs, one after the other. Each turn is an abandoned child
 * workflow. What it has added comes from its event history, by an activity, however it ended; its signal, its result or a
 * probe only tell when to look.
 *
 * It waits for months and costs nothing meanwhile. It goes on in new runs of the workflow, while a turn runs, too, with what
 * the one before has `carried` over. It ends when it is closed, or by Temporal's cancel.
 */
export async function session(raw: SessionInput, carried?: CarriedSession): Promise<SessionOutcome> {
  const run = new SessionRun(readSessionInput(raw), readCarriedSession(carried));
  answerQueries(run);
  listen(run);
  run.begin();
  // A cancel interrupts the turn that runs; what it leaves is still collected.
  const outcome = await CancellationScope.nonCancellable(() => conversation(run));
  if (run.canceled) throw new CancelledFailure('The session was canceled');
  return outcome;
}

async function conversation(run: SessionRun): Promise<SessionOutcome> {
  for (;;) {
    await condition(() => run.hasWork || run.isOver || isNextRunDue(run));
    if (isNextRunDue(run)) await continueInNextRun(run);
    if (run.isOver) return run.end();
    const turn = run.live ?? (await startNext(run));
    if (!turn) continue;
    const end = await collected(run, turn);
    run.settle(turn, end);
    const asked = !end.asked && turn.askedCompaction;
    if (asked && !run.closing && !run.canceled) await compactBetweenTurns(run, asked);
  }
}

/** The turn of the message that has waited longest; undefined where Temporal refuses to start it. */
async function startNext(run: SessionRun): Promise<LiveTurn | undefined> {
  const item = run.takeNext();
  if (!item) return undefined;
  const turn = LiveTurn.start(run, item);
  run.live = turn;
  run.show();
  // Sessions that were begun before tell it by signal, too.
  if (item.ended && !patched(ENDED_IN_INPUT)) turn.interrupt(item.ended);
  const refused = await turn.refused;
  if (refused === undefined) return turn;
  run.refuse(turn, refused);
  return undefined;
}
