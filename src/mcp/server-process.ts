import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpCommand } from '../define/mcp-server.js';
import { endProcessGroup } from '../tools/process-group.js';
import type { McpSdk } from './sdk.js';
import { unwatchGroup, watchGroup } from './watchdog.js';

/** What every program needs to find its way; a secret is in none of them. */
const INHERITED = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];
const TOLD_CHARACTERS = 600;
/** Of one message: images and files come in base64. */
const MAX_MESSAGE_BYTES = 50 * 1024 * 1024;
/** A server that is told that its input is over gets this long to end by itself. */
const LEAVE_MS = 1000;
/** What it wrote at its end may still be on its way. */
const LAST_WORDS_MS = 50;

/** Servers that run: a process that ends without closing them takes them along. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const { pid } of running) if (pid !== undefined) kill(pid);
});

/**
 * An MCP server that is a program of ours, spoken to over its standard input and output. It is the leader of a process
 * group, so that what it starts in its turn (`npx` starts the server) ends with it.
 */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #sdk: McpSdk;
  readonly #command: McpCommand;
  readonly #buffer: InstanceType<McpSdk['ReadBuffer']>;
  #child: ChildProcess | undefined;
  #written = '';
  #gone: Promise<void> | undefined;
  #end = '';

  constructor(sdk: McpSdk, command: McpCommand) {
    this.#sdk = sdk;
    this.#command = command;
    this.#buffer = new sdk.ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  }

  /** How it ended, if it did, and the last that it wrote to its standard error: `''` where there is nothing to say. */
  get lastWords(): string {
    const words = this.#written.trim().slice(-TOLD_CHARACTERS);
    return [this.#end, words && `It wrote: ${words}`].filter((each) => each !== '').join(' ');
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#command;
    const child = spawn(command, [...args], {
      env: { ...inherited(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    running.add(child);
    if (child.pid !== undefined) watchGroup(child.pid);
    this.#gone = this.#ended(child);
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#written = (this.#written + chunk.toString('utf8')).slice(-2 * TOLD_CHARACTERS);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream?.on('error', (error) => this.onerror?.(error));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input?.writable) throw new Error('Not connected');
    await new Promise<void>((resolve, reject) => {
      input.write(this.#sdk.serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when neither it nor what it has started is there any more. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin?.end();
    await Promise.race([this.#gone, sleep(LEAVE_MS, undefined, { ref: false })]);
    // Later its id may be somebody else's.
    if (child.exitCode === null && child.signalCode === null) await endProcessGroup(child.pid);
    await this.#gone;
    this.#buffer.clear();
  }

  async #ended(child: ChildProcess): Promise<void> {
    // By its end, and not by that of its output, which something that it has started may hold open.
    const end = await once(child, 'exit').catch(() => undefined);
    running.delete(child);
    if (end) {
      const [code, signal] = end;
      this.#end = signal ? `It was ended by ${signal}.` : `It ended with exit code ${code}.`;
      await Promise.all([child.pid && endProcessGroup(child.pid), sleep(LAST_WORDS_MS)]);
      if (child.pid !== undefined) unwatchGroup(child.pid);
    }
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      this.close().catch(() => undefined);
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message: some servers log to their standard output.
        this.onerror?.(error as Error);
      }
    }
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
