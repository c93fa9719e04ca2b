import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** The server that we started on a data folder, so that any later process finds and stops exactly that one. */
const serverRecord = z.object({
  pid: z.number().int().positive(),
  /** host:port of its gRPC endpoint. */
  address: z.string(),
  uiUrl: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  program: z.string(),
});

export type ServerRecord = z.infer<typeof serverRecord>;

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'temporal.db');
}

export function logFile(dataDir: string): string {
  return join(dataDir, 'temporal.log');
}

function recordFile(dataDir: string): string {
  return join(dataDir, 'server.json');
}

export async function writeServerRecord(dataDir: string, record: ServerRecord): Promise<void> {
  const draft = `${recordFile(dataDir)}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(draft, recordFile(dataDir));
}

/** The record, as long as its process is alive and really is our server: ids of ended processes are given to others. */
export async function liveServerRecord(dataDir: string): Promise<ServerRecord | undefined> {
  const text = await readFile(recordFile(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  return record !== undefined && (await isOurServer(record.pid, dataDir)) ? record : undefined;
}

export async function removeServerRecord(dataDir: string): Promise<void> {
  await rm(recordFile(dataDir), { force: true });
}

function parseRecord(text: string): ServerRecord | undefined {
  try {
    return serverRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A process is our server when it is a start-dev on our database file, which no other command line names. */
export async function isOurServer(pid: number, dataDir: string): Promise<boolean> {
  const commandLine = await commandLineOf(pid);
  return commandLine.includes('start-dev') && commandLine.includes(databaseFile(dataDir));
}

/** Empty for a process that is not there, or has ended and awaits its parent. */
async function commandLineOf(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux')
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
    return stdout;
  } catch {
    return '';
  }
}
