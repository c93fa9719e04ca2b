import { randomUUID } from 'node:crypto';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { z } from 'zod';
import type { AnyTool } from '../../src/define/define-agent.js';
import { type RemoteToolOptions, remoteTool } from '../../src/define/remote-tool.js';
import { testPlace } from '../../src/testing/test-environment.js';

/** Runs `use` beside a worker that knows nothing of Holdfast. */
export async function withForeignWorker<Result>(
  activities: NonNullable<WorkerOptions['activities']>,
  use: (taskQueue: string) => Promise<Result>,
): Promise<Result> {
  const { connection } = await testPlace();
  const taskQueue = `foreign-${randomUUID()}`;
  const worker = await Worker.create({ connection, taskQueue, activities, shutdownForceTime: '1 second' });
  return await worker.runUntil(() => use(taskQueue));
}

type Options = Partial<RemoteToolOptions<z.ZodType>> & { taskQueue: string };

export function remote(name: string, options: Options): AnyTool {
  const input = z.object({ text: z.string().default('') });
  return remoteTool({ name, description: name, input, ...options });
}
