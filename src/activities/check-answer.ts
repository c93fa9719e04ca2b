import { CancelledFailure, Context } from '@temporalio/activity';
import type { AnswerCheck, AnswerCheckContext } from '../define/answer-checks.js';
import type { CheckAnswerInput, CheckedAnswer } from '../shared/activities.js';
import { answerText } from '../shared/final-answer.js';
import { errorText, wireLine, wireText } from '../shared/wire-text.js';
import { beatWhile } from './heartbeats.js';
import { requireAgent } from './not-here.js';
import type { ActivityServices } from './services.js';

/** Asks the agent's checks one after the other; the first that does not let the answer pass is the last. */
export async function checkAnswer(
  { agents, transcripts, interrupts }: ActivityServices,
  input: CheckAnswerInput,
): Promise<CheckedAnswer> {
  const context = Context.current();
  const agent = requireAgent(agents, input);
  const { answer, turnId, metadata = {} } = input;
  return await interrupts.during(context, (interrupted) =>
    beatWhile(context, { details: () => undefined }, async () => {
      const transcript = await transcripts.read(input.transcript);
      const signal = AbortSignal.any([interrupted, context.cancellationSignal]);
      const about = { text: answerText(answer), turnId, metadata, transcript, signal };
      for (const [index, check] of (agent.checks ?? []).entries()) {
        const problem = await Promise.race([problemOf(check, index, answer, about), context.cancelled]);
        if (interrupted.aborted) throw new CancelledFailure('The turn was interrupted');
        if (problem !== undefined) return { v: 1, problem };
      }
      return { v: 1 };
    }),
  );
}

async function problemOf(
  check: AnswerCheck,
  index: number,
  answer: unknown,
  about: AnswerCheckContext,
): Promise<string | undefined> {
  const name = check.name === '' ? `number ${index + 1}` : check.name;
  const failed = (why: string) => wireText(`The check ${wireLine(name)} failed: ${why}`);
  try {
    const said: unknown = await check(answer, about);
    if (said === true) return undefined;
    return failed(typeof said === 'string' && said !== '' ? said : `it returned ${shown(said)}.`);
  } catch (error) {
    return failed(errorText(error));
  }
}

function shown(value: unknown): string {
  return typeof value === 'boolean' || value === undefined || value === null
    ? String(value)
    : `a value of the type ${typeof value}, in place of true`;
}
