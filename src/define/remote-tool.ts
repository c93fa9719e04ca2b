import type { z } from 'zod';
import { type Duration, durationMs } from '../shared/duration.js';
import { defineTool, type Tool, type ToolOptions } from './define-tool.js';

type Shared =
  | 'name'
  | 'description'
  | 'input'
  | 'idempotent'
  | 'timeout'
  | 'parallel'
  | 'approval'
  | 'effects'
  | 'subject'
  | 'strict';

export type RemoteToolOptions<Input extends z.ZodType> = Pick<ToolOptions<Input, unknown>, Shared> & {
  /** Of the worker that runs it. */
  taskQueue: string;
  /** The activity's type there. Default: the tool's name. */
  activity?: string;
  /** How long a call may wait for a worker to take it; then the model is told that there is none. Default 1 minute. */
  queueTimeout?: Duration;
  /**
   * A worker that gives no sign of life for so long is taken for dead: its activity has to heartbeat more often. Default:
   * no heartbeats, and only `timeout` tells.
   */
  heartbeatTimeout?: Duration;
};

const DEFAULT_QUEUE_TIMEOUT = '1 minute';
/** As for a tool of ours. */
const MAX_RESULT_BYTES = 100_000;
const MAX_NAME_BYTES = 200;

/**
 * Makes a tool that another worker runs, in whatever language: a call is a Temporal activity on its task queue. Throws as
 * `defineTool` does.
 */
export function remoteTool<Input extends z.ZodType>(options: RemoteToolOptions<Input>): Tool<Input, unknown> {
  const { name, taskQueue, activity = name, queueTimeout, heartbeatTimeout, ...shared } = options;
  const what = `Remote tool ${name}`;
  requireText(`${what}, taskQueue`, taskQueue);
  requireText(`${what}, activity`, activity);
  if (activity === 'default' || activity.startsWith('holdfast.') || activity.startsWith('__')) {
    throw new TypeError(
      `${what}, activity: ${JSON.stringify(activity)} is taken: "default" and names that begin with "holdfast." or "__" are not for tools.`,
    );
  }
  const tool = defineTool({
    ...shared,
    name,
    run: () => {
      throw new TypeError(
        `${name} is an activity on the task queue ${taskQueue}: no worker of ours runs it.`,
      );
    },
  });
  return {
    ...tool,
    remote: {
      taskQueue,
      activity,
      queueTimeoutMs: durationMs(`${what}, queueTimeout`, queueTimeout ?? DEFAULT_QUEUE_TIMEOUT),
      ...(heartbeatTimeout !== undefined && {
        heartbeatTimeoutMs: durationMs(`${what}, heartbeatTimeout`, heartbeatTimeout),
      }),
      maxResultBytes: MAX_RESULT_BYTES,
    },
  };
}

function requireText(what: string, text: string): void {
  if (typeof text === 'string' && text.trim() !== '' && Buffer.byteLength(text) <= MAX_NAME_BYTES) return;
  throw new TypeError(`${what}: give its name, ${MAX_NAME_BYTES} bytes at most.`);
}
