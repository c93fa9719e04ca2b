import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { CarriedTurn } from '../shared/carried.js';
import { type TurnInput, turnInputProblems } from '../shared/turn-input.js';
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

/** What an earlier run of this turn has carried over. Only Temporal hands it on: from anybody else it is refused. */
export function readCarried(carried: CarriedTurn | undefined): CarriedTurn | undefined {
  if (carried === undefined || carried === null) return undefined;
  const problem =
    workflowInfo().continuedFromExecutionRunId === undefined
      ? 'A turn takes one argument: its input. A second one is only for its continuation.'
      : versionProblem('carried turn', carried);
  if (problem) throw ApplicationFailure.nonRetryable(wireText(problem), 'Turn.UnsupportedVersion');
  return carried;
}
