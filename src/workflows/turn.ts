import { CancelledFailure } from '@temporalio/workflow';
import type { ModelReply } from '../shared/activities.js';
import type { CarriedTurn } from '../shared/carried.js';
import { pendingCalls } from '../shared/transcript.js';
import type { OutcomeType, TurnOutcome } from '../shared/turn.js';
import type { TurnInput } from '../shared/turn-input.js';
import { afterFailure, afterTurn } from './after-turn.js';
import { callModel } from './call-model.js';
import { checkedEnding, isToBeChecked, takeClosingOutput } from './check-answer.js';
import { compactAsDue, isCompactionDue } from './compaction.js';
import type { ReachedLimit } from './guards.js';
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
  const { mode, always } = input;
  const given = { ...(mode !== undefined && { mode }), ...(always && { always }) };
  const people = new People(interventions, earlier?.permissions ?? given);
  const run = new TurnRun(input, people);

  run.begin(earlier);
  run.guards.begin(interventions, earlier?.guards);
  if (input.ended) interventions.endEarly(input.ended);
  const { parent } = run.input;
  const type = await loop(run, interventions).catch(async (error: unknown) => {
    await afterFailure(run, error);
    if (parent) await reportFailure(parent, error);
    throw error;
  });
  const isOutOfTime = type === 'interrupted' && interventions.ending?.kind === 'time_limit';
  const outcome = run.end(isOutOfTime ? 'budget_exceeded' : type, interventions);
  await afterTurn(run, outcome);
  // One that was canceled has an outcome, too: thrown, it would lose what it has cost.
  if (parent) return await reportEnd(parent, outcome);
  if (outcome.intervention?.kind === 'cancel') throw new CancelledFailure('The turn was canceled');
  return outcome;
}

async function loop(run: TurnRun, interventions: Interventions): Promise<OutcomeType> {
  for (;;) {
    if (interventions.ending) return 'interrupted';
    const limit = run.guards.reached();
    if (limit) return await endAtLimit(run, interventions, limit);
    run.makeRoom();
    if (isCompactionDue(run, interventions)) {
      await compactAsDue(run, interventions);
      if (interventions.ending) return 'interrupted';
      const { keepsToBudget } = run.settings?.compaction ?? {};
      if (keepsToBudget && run.guards.exceeded) return 'budget_exceeded';
    }
    if (isNextRunDue(run, interventions)) {
      await continueInNextRun(run, interventions);
      if (interventions.ending) return 'interrupted';
    }

    const steers = run.addSteers(interventions.takeSteers());
    run.askForOutput(steers.length > 0);
    const asked = run.guards.ask();
    const reply = await callModel(run, interventions, steers, asked);
    if (reply === 'exceeded') return 'budget_exceeded';
    if (reply === 'no_plan') {
      run.guards.passOverPlan();
      continue;
    }
    if (typeof reply === 'string') return 'interrupted';
    await takeReply(run, reply, interventions);

    const isPlan = run.guards.isPlan(reply, asked);
    let ending = isPlan ? afterPlan(reply) : run.endOf(reply);
    if (isToBeChecked(run, ending)) ending = await checkedEnding(run, interventions);
    const isDone = ending === 'completed' || ending === 'invalid_output';
    const goesOn = isDone && interventions.hasSteers && !interventions.ending && !run.guards.reached();
    if (ending && !goesOn) return ending;
  }
}

/** The reply joins the transcript, and what it asks for is run. */
function takeReply(run: TurnRun, reply: ModelReply, interventions: Interventions): Promise<void> | undefined {
  run.transcript.add(reply.message);
  const calls = pendingCalls(run.transcript.messages);
  return calls.length > 0 ? runToolCalls(run, reply, calls, interventions) : undefined;
}

function afterPlan({ message }: ModelReply): OutcomeType | undefined {
  return message.stopReason === 'refusal' ? 'refused' : undefined;
}

/** With a closing answer, where the agent asks for one. However that goes, the turn ends by its limit. */
async function endAtLimit(
  run: TurnRun,
  interventions: Interventions,
  limit: ReachedLimit,
): Promise<OutcomeType> {
  const asked = run.guards.askForClosing(limit);
  if (!asked) return limit;
  const reply = await callModel(run, interventions, [], asked);
  if (reply === 'interrupted') return 'interrupted';
  if (typeof reply === 'string') return limit;
  await takeReply(run, reply, interventions);
  return (await takeClosingOutput(run, interventions, reply)) ?? limit;
}
