import type { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

export type StartedActivity = {
  type: 'activity_started';
  /** Temporal's task token, base64: with it the supervisor can end the activity in the worker's name. */
  token: string;
  workflowId: string;
  runId: string;
  activityId: string;
};

/** What a supervised worker tells its supervisor of each activity, before it begins and after it has ended. */
export type ActivityReport = StartedActivity | { type: 'activity_ended'; token: string };

export function reportingInterceptor(
  context: Context,
  report: (report: ActivityReport) => void,
): ActivityInboundCallsInterceptor {
  const { taskToken, workflowExecution, activityId, isLocal } = context.info;
  // The server knows nothing of it: its workflow task tells.
  if (isLocal) return {};
  const token = Buffer.from(taskToken).toString('base64');
  return {
    async execute(input, next) {
      const { workflowId = '', runId = '' } = workflowExecution ?? {};
      report({ type: 'activity_started', token, workflowId, runId, activityId });
      try {
        return await next(input);
      } finally {
        report({ type: 'activity_ended', token });
      }
    },
  };
}
