import type { AgentClient } from 'holdfast/client';
import type { PlannedSteer } from '../plan.js';
import type { Answer } from '../records.js';
import type { Records, TurnEvidence } from './evidence.js';

/** What is wrong with the messages that were sent into one turn, one line each: lost, doubled, or told wrongly. */
export async function steerProblems(
  turn: TurnEvidence,
  records: Records,
  client: AgentClient,
): Promise<string[]> {
  const steers = turn.planned.interventions.filter((each) => each.kind === 'steer');
  const problems = await Promise.all(
    steers.map(async (steer) => {
      const answers = records.deeds.flatMap((deed) =>
        deed.deed === 'steered' && deed.id === steer.id ? [deed.answer] : [],
      );
      const problem = problemOf(answers, await placesOf(turn, steer, client));
      return problem === undefined ? [] : [`${steer.id} (${steer.via}): ${problem}`];
    }),
  );
  return problems.flat();
}

function problemOf(answers: readonly Answer[], places: readonly string[]): string | undefined {
  if (places.length > 1) return `doubled: ${places.join(', ')}`;
  if (answers.includes('sent')) {
    return places.length === 1 ? undefined : `lost: it was taken, and is neither told nor handed back`;
  }
  const turnedDown = answers.length > 0 && answers.every((answer) => answer === 'too_late');
  return turnedDown && places.length > 0 ? `it was turned down, and yet it is ${places[0]}` : undefined;
}

/** Where the message is: told to the model, or handed back. */
async function placesOf(turn: TurnEvidence, steer: PlannedSteer, client: AgentClient): Promise<string[]> {
  const told = turn.messages.filter((message) => {
    return (
      message.role === 'user' &&
      message.content.some((block) => block.type === 'text' && block.text === steer.text)
    );
  });
  const handedBack = (turn.outcome?.undelivered ?? []).filter(({ message }) => message === steer.text);
  const places = [...told.map(() => 'in the transcript'), ...handedBack.map(() => 'handed back')];
  if (turn.closed !== 'canceled' || places.length > 0) return places;
  // A canceled workflow has no result to hand anything back in: there the receipt tells.
  const receipt = await client.turn(turn.turnId).receipt(steer.id);
  return receipt?.status === 'too_late' ? ['handed back by its receipt'] : [];
}
