import { CancelledFailure } from '@temporalio/workflow';
import type { CarriedTurn } from '../shared/carried.js';
import { pendingCalls, toolMessage } from '../shared/transcript.js';
import type { OutcomeType, TurnInput, TurnOutcome } from '../shared/turn.js';
import { afterFailure, afterTurn } from './after-turn.js';
import { callModel } from './call-model.js';
import { Interventions } from './interventions.js';
import { continueInNextRun, isNextRunDue } from './next-run.js';
import { People } from './people.js';
import { readCarried, readTurnInput } from './read-input.js';
import { reportEnd, reportFailure } from './report-end.js';
import { runToolCalls } from './run-tool-calls.js';
import { TurnRun } from './turn-run.js';

/**
 * One turn: the model is called, the tools that it asks for are run, their results go back, until it is done.
 *
 * The program counter is the state machine and the transcript is the state. An ordinary ending is returned, an
 * interrupt too; a fault of the model or of Temporal fails the workflow with a dotted type and the outcome so far in
 * the failure's details; Temporal's own cancel shows as Canceled. However it ends, each tool call of the transcript has
 * exactly one result.
 *
 * A long turn goes on in a new run of the workflow, with what the one before has `carried` over.
 */
export async function turn(raw: TurnInput, carried?: CarriedTurn): Promise<TurnOutcome> {
  const input = readTurnInput(raw);
  const earlier = readCarried(carried);
  const interventions = new Interventions(earlier?.interventions);
  const { mode } = input;
  const people = new People(interventions, earlier?.permissions ?? { ...(mode !== undefined && { mode }) });
  const run = new TurnRun(input, people);

  run.begin(earlier);
  const { parent } = run.input;
  const type = await loop(run, interventions).catch(async (error: unknown) => {
    await afterFailure(run, error);
    if (parent) await reportFailure(parent, error);
    throw error;
  });
  const outcome = run.end(type, interventions);
  await afterTurn(run, outcome);
  // One that was canceled has an outcome, too: thrown, it would lose what it has cost.
  if (parent) return await reportEnd(parent, outcome);
  if (outcome.intervention?.kind === 'cancel') throw new CancelledFailure('The turn was canceled');
  return outcome;
}

async function loop(run: TurnRun, interventions: Interventions): Promise<OutcomeType> {
  for (;;) {
    if (interventions.ending) return 'interrupted';
    if (run.iteration >= run.maxIterations) return 'max_iterations';
    run.makeRoom();
    if (isNextRunDue(run, interventions)) {
      await continueInNextRun(run, interventions);
      if (interventions.ending) return 'interrupted';
    }

    const steers = run.addSteers(interventions.takeSteers());
    run.askForOutput(steers.length > 0);
    const reply = await callModel(run, interventions, steers);
    if (reply === 'interrupted') return 'interrupted';
    run.transcript.add(reply.message);

    const calls = pendingCalls(run.transcript.messages);
    if (calls.length > 0) {
      const results = await runToolCalls(run, reply.calls, interventions);
      run.transcript.add(toolMessage(`${reply.message.id}-results`, calls, results));
    }
    const ending = run.endOf(reply);
    const mayGoOn = !interventions.ending && run.iteration < run.maxIterations;
    const isDone = ending === 'completed' || ending === 'invalid_output';
    const goesOn = isDone && interventions.hasSteers && mayGoOn;
    if (ending && !goesOn) return ending;
  }
}
