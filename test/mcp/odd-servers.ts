import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { type Agent, defineAgent } from '../../src/define/define-agent.js';
import { type McpOptions, type McpServer, mcpServer } from '../../src/define/mcp-server.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';
import {
  reply,
  type Script,
  type ScriptedPart,
  scriptedModel,
  testTurn,
  text,
} from '../../src/testing/index.js';
import { afterFile } from '../support/after-file.js';

const PROGRAM = fileURLToPath(new URL('./odd-server.mjs', import.meta.url));

/** A folder that lasts as long as the test file does. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
  afterFile(() => rmSync(folder, { recursive: true }));
  return folder;
}

export type OddServer = {
  server: McpServer;
  /** What it was asked, and when it started, a line each. */
  log(): string[];
  count(line: string): number;
};

/** The server of odd-server.mjs, named `odd`, over stdio. */
export function oddServer(options: McpOptions = {}, env: Record<string, string> = {}): OddServer {
  const folder = newFolder();
  const given = { LOG: join(folder, 'log'), DIE_ONCE: join(folder, 'died'), ...env };
  return {
    server: mcpServer('odd', { command: process.execPath, args: [PROGRAM], env: given }, options),
    ...logOf(given.LOG),
  };
}

export type OddHttpServer = OddServer & { port: number; kill(): Promise<void>; restart(): Promise<void> };

/** The same over streamable HTTP, started here. */
export async function oddHttpServer(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: McpOptions = {},
  env: Record<string, string> = {},
  where: { tokenEnv?: string } = {},
): Promise<OddHttpServer> {
  const LOG = join(newFolder(), 'log');
  const start = async (PORT: string) => {
    const child = spawn(process.execPath, [PROGRAM], {
      env: { ...process.env, LOG, PORT, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(child.stdout), 'line');
    return { child, port: Number(line) };
  };
  let running = await start('0');
  const { port } = running;
  const kill = async () => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return {
    port,
    server: mcpServer('odd', { url: `http://127.0.0.1:${port}/mcp`, ...where }, options),
    kill,
    restart: async () => {
      await kill();
      running = await start(String(port));
    },
    ...logOf(LOG),
  };
}

export function logOf(path: string): Pick<OddServer, 'log' | 'count'> {
  const log = () => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
  return { log, count: (line) => log().filter((each) => each.startsWith(line)).length };
}

export function agentWith(...servers: McpServer[]): Agent {
  return defineAgent({ name: 'mcp', instructions: 'Use the tools.', model: 'none', tools: servers });
}

/** One turn whose replies call these tools, a list for each reply; the results in their order. */
export async function resultsOf(
  server: McpServer,
  ...rounds: (readonly ScriptedPart[] | Script[number])[]
): Promise<ToolResultBlock[]> {
  const script = rounds.map((round) => (Array.isArray(round) ? reply(...round) : (round as Script[number])));
  const model = scriptedModel([...script, text('done')]);
  const { calls } = await testTurn(agentWith(server), 'Go.', { model });
  return calls.map(({ result }) => result);
}

export function textIn(result: ToolResultBlock | undefined): string {
  return (
    result?.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n') ?? ''
  );
}

/** One that only waits to be collected by its parent is dead. */
export function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
