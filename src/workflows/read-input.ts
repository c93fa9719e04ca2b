import { ApplicationFailure } from '@temporalio/workflow';
import { type TurnInput, turnInputProblems } from '../shared/turn.js';
import { versionProblem } from '../shared/version.js';
import { wireText } from '../shared/wire-text.js';

const EXAMPLE = '{"v":1,"agent":"coder","prompt":"Hello"}';

/** Checks what anybody may have typed into `temporal workflow start`. Bad input fails the turn at once, in words. */
export function readTurnInput(raw: TurnInput): TurnInput {
  const wrongVersion = versionProblem('turn input', raw);
  if (wrongVersion) throw ApplicationFailure.nonRetryable(wireText(wrongVersion), 'Turn.UnsupportedVersion');
  const problems = turnInputProblems(raw);
  if (problems.length === 0) return raw;
  const text = `The turn's input is not valid; an example is ${EXAMPLE}.\n${problems.join('\n')}`;
  throw ApplicationFailure.nonRetryable(wireText(text), 'Turn.InvalidInput');
}
