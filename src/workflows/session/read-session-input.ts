import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { CarriedSession } from '../../shared/carried-session.js';
import { SESSION_ID, type SessionInput, sessionInputProblems } from '../../shared/session.js';
import { versionProblem } from '../../shared/version.js';
import { wireText } from '../../shared/wire-text.js';

/** Checks what anybody may have typed into `temporal workflow start`. Bad input fails the session at once, in words. */
export function readSessionInput(raw: SessionInput): SessionInput {
  const wrongVersion = versionProblem('session input', raw);
  if (wrongVersion) throw refused('Session.UnsupportedVersion', wrongVersion);
  const problems = sessionInputProblems(raw);
  const { workflowId } = workflowInfo();
  if (!SESSION_ID.test(workflowId)) {
    problems.push(
      `workflow id ${JSON.stringify(workflowId)}: use letters, digits and . _ : / -, 100 at most.`,
    );
  }
  if (problems.length === 0) return raw;
  throw refused(
    'Session.InvalidInput',
    `The session's input is not valid; an example is {"v":1}.\n${problems.join('\n')}`,
  );
}

/** What an earlier run of this session has carried over. Only Temporal hands it on: from anybody else it is refused. */
export function readCarriedSession(carried: CarriedSession | undefined): CarriedSession | undefined {
  if (carried === undefined || carried === null) return undefined;
  const problem =
    workflowInfo().continuedFromExecutionRunId === undefined
      ? 'A session takes one argument: its input. A second one is only for its continuation.'
      : versionProblem('carried session', carried);
  if (problem) throw refused('Session.UnsupportedVersion', problem);
  return carried;
}

function refused(type: string, text: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(wireText(text), type);
}
