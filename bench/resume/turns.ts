import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentClient, Message } from 'holdfast/client';
import type { PageModel, PageRequest } from '../model/page-model.js';
import { promptOf } from '../model/task.js';
import type { WorkerConfig } from '../worker/config.js';
import { drained, readReports, startWorkerProcess } from '../worker/processes.js';

export type Place = {
  address: string;
  folder: string;
  client: AgentClient;
  model: PageModel;
  rounds: number;
};

/** What the model is sent after each page, as a hash. */
export type Reference = ReadonlyMap<number, string>;

/** Reads of transcripts that the workers' caches could not answer. `bytesRead`: null where workers don't tell. */
export type Figures = { misses: number; pages: number; bytesRead: number | null };

/** Workers of one turn, with a folder and a task queue of their own. */
export async function workersOf(place: Place, name: string): Promise<WorkerConfig> {
  const folder = join(place.folder, name);
  await mkdir(folder);
  const taskQueue = `${name}-${randomUUID()}`;
  return { address: place.address, folder, taskQueue, modelUrl: place.model.url };
}

/** Runs a turn to its end, and returns its iterations once its transcript is found to be whole. */
export async function runTurn(
  { client, model, rounds }: Place,
  { taskQueue }: WorkerConfig,
  reference?: Reference,
): Promise<number> {
  model.forget();
  const turn = await client.start('reader', promptOf(rounds), {
    taskQueue,
    limits: { iterations: rounds + 1 },
  });
  const { type, iterations } = await turn.result();
  if (type !== 'completed') throw new Error(`The turn ended as ${type}.`);
  checkMessages(await turn.transcript(), rounds);
  if (reference) checkRequests(model.requests, reference);
  return iterations;
}

/** With one worker, that lives. */
export async function undisturbed(place: Place): Promise<Reference> {
  const config = await workersOf(place, 'undisturbed');
  const worker = await startWorkerProcess(config);
  await runTurn(place, config);
  await drained(worker, config.folder);
  return new Map(place.model.requests.map(({ page, hash = '' }) => [page, hash]));
}

/** Of all workers of a turn that lived to its end. */
export async function readFigures({ folder }: WorkerConfig): Promise<Figures> {
  const reports = (await readReports(folder)).map(({ transcripts }) => transcripts);
  const told = reports.flatMap(({ bytes }) => bytes ?? []);
  return {
    misses: reports.reduce((sum, { misses }) => sum + misses, 0),
    pages: reports.reduce((sum, { pages }) => sum + pages, 0),
    bytesRead: told.length === reports.length ? told.reduce((sum, bytes) => sum + bytes, 0) : null,
  };
}

/** A prompt, a call and its one result for each round, and a last reply. */
function checkMessages(messages: readonly Message[], rounds: number): void {
  const wanted = 2 * rounds + 2;
  if (messages.length !== wanted) throw new Error(`${messages.length} messages, not ${wanted}.`);
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((block) => block.type === 'tool_call') : [],
  );
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  const isWhole = calls.every(
    ({ id }, index) => results[index]?.callId === id && results[index].status === 'ok',
  );
  const ids = new Set(calls.map(({ id }) => id));
  if (!isWhole || ids.size !== rounds || results.length !== rounds) {
    throw new Error(`${ids.size} calls, ${results.length} results: not one ok result for each of ${rounds}.`);
  }
}

/** A request may come twice, from a worker that died; it is always the same. */
function checkRequests(requests: readonly PageRequest[], reference: Reference): void {
  const wrong = requests.find(({ page, hash }) => reference.get(page) !== hash);
  if (wrong) throw new Error(`After page ${wrong.page} the model was sent something else.`);
  const missing = [...reference.keys()].find((page) => !requests.some((request) => request.page === page));
  if (missing !== undefined) throw new Error(`After page ${missing} the model was not asked.`);
}
