import type { JsonObject } from '../shared/json.js';
import { orAborted } from '../shared/or-aborted.js';
import type { McpSdk, RequestOptions, SdkClient } from './sdk.js';

export type TaskCall = {
  params: { name: string; arguments: JsonObject };
  requestOptions: RequestOptions;
  signal: AbortSignal;
  onProgress(text: string): void;
  /** Whether the server still answers. */
  isThere(): Promise<boolean>;
};

const CANCEL_MS = 3000;

/** Calls a tool that its server runs as a task: begun by one request, and asked after until it has ended. */
export async function callAsTask(sdk: McpSdk, client: SdkClient, call: TaskCall): Promise<JsonObject> {
  const { params, requestOptions, signal, onProgress } = call;
  const { tasks } = client.experimental;
  let taskId: string | undefined;
  let status = '';
  const cancel = () => {
    if (taskId !== undefined) tasks.cancelTask(taskId, { timeout: CANCEL_MS }).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel);
  try {
    const options = { ...requestOptions, task: {} };
    const stream = tasks.callToolStream(params, sdk.CallToolResultSchema, options);
    // Between two questions it may wait as long as the server likes.
    for (let next = await orAborted(stream.next(), signal); !next.done; ) {
      const message = next.value;
      if (message.type === 'result') return message.result as JsonObject;
      if (message.type === 'error') throw await faultOfTask(sdk, call, message.error, status);
      taskId = message.task.taskId;
      status = message.task.statusMessage ?? '';
      if (status !== '') onProgress(status);
      next = await orAborted(stream.next(), signal);
    }
    throw new Error('The task ended without a result');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The SDK makes an error of the protocol of anything, so that a connection that is gone must be looked for. */
async function faultOfTask(
  { ErrorCode, McpError }: McpSdk,
  { isThere }: TaskCall,
  error: InstanceType<McpSdk['McpError']>,
  status: string,
): Promise<Error> {
  if (error.code !== ErrorCode.InternalError) return error;
  if (!(await isThere())) return new McpError(ErrorCode.ConnectionClosed, 'Connection closed');
  const text = error.message.replace(/^MCP error -?\d+: /, '');
  return new McpError(error.code, status === '' ? text : `${text} (${status})`);
}
