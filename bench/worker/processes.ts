import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WorkerProcess } from '../../dist/worker/worker-process.js';
import type { WorkerConfig, WorkerReport } from './config.js';

export const WORKER_PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url));

/** Two workers of a bench share it: what one has put there the other must find. */
export function workerEnv({ folder }: Pick<WorkerConfig, 'folder'>): NodeJS.ProcessEnv {
  return { ...process.env, HOLDFAST_ARTIFACTS: join(folder, 'artifacts') };
}

/** A worker in a process of its own, which takes tasks by now. */
export async function startWorkerProcess(config: WorkerConfig): Promise<WorkerProcess> {
  const worker = new WorkerProcess(WORKER_PROGRAM, [JSON.stringify(config)], workerEnv(config));
  await worker.ready;
  worker.order('serve');
  return worker;
}

/** Ends it in good order; what it took. */
export async function drained(worker: WorkerProcess, folder: string): Promise<WorkerReport> {
  await worker.drain();
  return JSON.parse(await readFile(join(folder, `worker-${worker.pid}.json`), 'utf8')) as WorkerReport;
}

/** Of all workers that drained. */
export async function readReports(folder: string): Promise<WorkerReport[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('worker-'));
  return await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as WorkerReport),
  );
}
