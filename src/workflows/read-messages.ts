import { ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import { READ_MESSAGES, type ReadMessages, type ReadMessagesInput } from '../shared/session-activities.js';
import { versionProblem } from '../shared/version.js';

type ReadActivities = { [READ_MESSAGES](input: ReadMessagesInput): Promise<ReadMessages> };

const { [READ_MESSAGES]: read } = proxyActivities<ReadActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 5 },
});

/** Lets a client read messages that are in the workers' artifact store: a page a workflow. */
export async function readMessages(input: ReadMessagesInput): Promise<ReadMessages> {
  const problem = versionProblem('question for messages', input);
  if (problem) throw ApplicationFailure.nonRetryable(problem, 'Session.UnsupportedVersion');
  return await read(input);
}
