import { withdrawnFrom } from '../../shared/session-queue.js';
import {
  firstProblem,
  type WithdrawReceipt,
  type WithdrawRequest,
  withdrawProblems,
} from '../../shared/session-requests.js';
import { wireText } from '../../shared/wire-text.js';
import type { SessionRun } from './session-run.js';

/** Takes a message back whose turn has not begun. What people sent beside it is not lost by that. */
export function withdraw(run: SessionRun, raw: WithdrawRequest): WithdrawReceipt {
  const problem = firstProblem('withdrawal of a message', raw, withdrawProblems);
  if (problem !== undefined) return refused(problem);
  const { id } = raw;
  const known = run.receipts.known(id);
  const turnId = known?.turnId ?? run.turnIdOf(id);
  const item = run.queue.find((each) => run.turnIdOf(each.id) === turnId);
  if (!item) {
    if (known?.turnId === undefined) return { v: 1, status: 'unknown' };
    return { v: 1, status: known.status === 'withdrawn' ? 'withdrawn' : 'started', turnId };
  }
  if (item.joined) return refused('Other messages are part of its turn. Interrupt that once it runs.');
  run.steps += 1;
  run.queue = withdrawnFrom(run.queue, item);
  run.receipts.give({ id, status: 'withdrawn', turnId });
  run.show();
  return { v: 1, status: 'withdrawn', turnId };
}

function refused(problem: string): WithdrawReceipt {
  return { v: 1, status: 'refused', problem: wireText(problem, 1000) };
}
