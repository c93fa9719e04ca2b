import { ApplicationFailure } from '@temporalio/workflow';
import { z } from 'zod';
import { type TurnInput, turnInput } from '../shared/turn.js';
import { versionProblem } from '../shared/version.js';
import { wireText } from '../shared/wire-text.js';

/** Checks what anybody may have typed into `temporal workflow start`. Bad input fails the turn at once, in words. */
export function readTurnInput(raw: unknown): TurnInput {
  const wrongVersion = versionProblem('turn input', raw);
  if (wrongVersion) {
    throw ApplicationFailure.nonRetryable(wireText(wrongVersion), 'Turn.UnsupportedVersion');
  }
  const parsed = turnInput.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(
    wireText(
      `The turn's input is not valid; an example is {"v":1,"agent":"coder","prompt":"Hello"}.\n${z.prettifyError(parsed.error)}`,
    ),
    'Turn.InvalidInput',
  );
}
