import { ApplicationFailure } from '@temporalio/workflow';
import { z } from 'zod';
import { type TurnInput, turnInput } from '../shared/turn.js';
import { versionProblem } from '../shared/version.js';
import { errorText, wireText } from '../shared/wire-text.js';

/** Checks what anybody may have typed into `temporal workflow start`. Bad input fails the turn at once, in words. */
export function readTurnInput(raw: unknown): TurnInput {
  const wrongVersion = versionProblem('turn input', raw);
  if (wrongVersion) {
    throw ApplicationFailure.nonRetryable(wireText(wrongVersion), 'Turn.UnsupportedVersion');
  }
  const { input, problem } = checked(raw);
  if (input) return input;
  throw ApplicationFailure.nonRetryable(
    wireText(
      `The turn's input is not valid; an example is {"v":1,"agent":"coder","prompt":"Hello"}.\n${problem}`,
    ),
    'Turn.InvalidInput',
  );
}

/** JSON that is nested some thousand levels deep overflows the stack of the check. */
function checked(raw: unknown): { input?: TurnInput; problem?: string } {
  try {
    const parsed = turnInput.safeParse(raw);
    return parsed.success ? { input: parsed.data } : { problem: z.prettifyError(parsed.error) };
  } catch (error) {
    return { problem: errorText(error) };
  }
}
