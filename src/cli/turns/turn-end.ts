import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeFailure, decodePayloads } from '../../client/payloads.js';
import type { TurnOutcome } from '../../shared/turn.js';
import type { TurnInput } from '../../shared/turn-input.js';

export type TurnStatus = TurnOutcome['type'] | 'running' | 'canceled' | 'terminated' | 'timed_out';

/** How a turn ended, from the last event of its history. */
export type TurnEnd = {
  status: TurnStatus;
  outcome?: TurnOutcome;
  failure?: { type: string; message: string };
};

export type Execution = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status'>;

/** Of a turn that has ended; `running` where it has not. */
export async function endOf(client: Client, { workflowId, runId, status }: Execution): Promise<TurnEnd> {
  if (status.name === 'RUNNING' || status.name === 'PAUSED') return { status: 'running' };
  if (status.name === 'CANCELLED') return { status: 'canceled' };
  if (status.name === 'TIMED_OUT') return { status: 'timed_out' };
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const [last] = history?.events ?? [];
  const converter = client.options.loadedDataConverter;
  const terminated = last?.workflowExecutionTerminatedEventAttributes;
  if (terminated) {
    const message = terminated.reason ?? '';
    return { status: 'terminated', ...(message && { failure: { type: 'Turn.Terminated', message } }) };
  }
  const completed = last?.workflowExecutionCompletedEventAttributes;
  if (completed) {
    const [outcome] = (await decodePayloads(converter, completed.result?.payloads)) as [TurnOutcome];
    return { status: outcome.type, outcome };
  }
  const recorded = last?.workflowExecutionFailedEventAttributes?.failure;
  if (!recorded) return { status: 'failed' };
  const failure = await decodeFailure(converter, recorded);
  const { type, details } = failure.applicationFailureInfo ?? {};
  const [outcome] = (await decodePayloads(converter, details?.payloads)) as [TurnOutcome?];
  return {
    status: 'failed',
    failure: { type: type ?? 'Turn.Failed', message: failure.message ?? '' },
    ...(outcome && { outcome }),
  };
}

/** What the run was started with, from the first event of its history. */
export async function inputOf(client: Client, { workflowId, runId }: Execution): Promise<Partial<TurnInput>> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const [input] = await decodePayloads(client.options.loadedDataConverter, payloads);
  // Whoever starts a workflow may give it anything.
  return typeof input === 'object' && input !== null ? (input as Partial<TurnInput>) : {};
}
