import { CancelledFailure } from '@temporalio/workflow';
import { pendingCalls, toolMessage } from '../shared/transcript.js';
import type { OutcomeType, TurnInput, TurnOutcome } from '../shared/turn.js';
import { callModel } from './call-model.js';
import { Interruption } from './interruption.js';
import { readTurnInput } from './read-input.js';
import { runToolCalls } from './run-tool-calls.js';
import { TurnRun } from './turn-run.js';

/**
 * One turn: the model is called, the tools that it asks for are run, their results go back, until it is done.
 *
 * The program counter is the state machine and the transcript is the state. An ordinary ending is returned; a fault
 * of the model or of Temporal fails the workflow with a dotted type and the outcome so far in the failure's details;
 * Temporal's own cancel shows as Canceled. However it ends, each tool call of the transcript has exactly one result.
 */
export async function turn(raw: TurnInput): Promise<TurnOutcome> {
  const input = readTurnInput(raw);
  const run = new TurnRun(input);
  const interruption = new Interruption();

  run.begin();
  const outcome = await loop(run, interruption);
  const ended = run.end(outcome);
  if (outcome === 'interrupted' && interruption.asCanceled)
    throw new CancelledFailure('The turn was canceled');
  return ended;
}

async function loop(run: TurnRun, interruption: Interruption): Promise<OutcomeType> {
  for (;;) {
    if (interruption.requested) return 'interrupted';
    if (run.iteration >= run.maxIterations) return 'max_iterations';

    const reply = await callModel(run, interruption);
    if (reply === 'interrupted') return 'interrupted';
    run.transcript.add(reply.message);

    const calls = pendingCalls(run.transcript.messages);
    if (calls.length > 0) {
      const results = await runToolCalls(run, reply.calls, interruption);
      run.transcript.add(toolMessage(`${reply.message.id}-results`, calls, results));
    }
    const ending = run.endOf(reply);
    if (ending) return ending;
  }
}
