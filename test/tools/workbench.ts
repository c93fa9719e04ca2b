import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Tool, ToolContext } from '../../src/define/define-tool.js';
import { codingTools } from '../../src/tools/coding-tools.js';

/** A new folder, removed after the test. Its path is real. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Keeps nothing, but reads it all. */
const saveArtifact: ToolContext['saveArtifact'] = async (content) => {
  const hash = createHash('sha256');
  if (typeof content === 'string' || content instanceof Uint8Array) {
    return { sha256: hash.update(content).digest('hex'), bytes: Buffer.from(content).length };
  }
  for await (const piece of content.read()) hash.update(piece);
  return { sha256: hash.digest('hex'), bytes: content.bytes };
};

function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    idempotencyKey: 'key-1',
    progress: () => {},
    saveArtifact,
    turnId: 'turn-1',
    callId: 'call-1',
    attempt: 1,
    metadata: {},
    setup: undefined,
    ...given,
  };
}

type Workbench = {
  root: string;
  tool(name: string): Tool;
  /** What the model would read. */
  run(name: string, args: unknown, context?: Partial<ToolContext>): Promise<string>;
  /** What the model would read if the worker had died in the middle. */
  reconcile(name: string, args: unknown): Promise<unknown>;
};

/** The coding tools for a workspace, a new empty one by default. */
export function workbench(given: { root?: string; env?: Record<string, string> } = {}): Workbench {
  const root = given.root ?? temporaryFolder();
  const tools = codingTools({ root, ...(given.env && { env: given.env }) });
  const tool = (name: string): Tool => {
    const found = tools.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`No tool ${name}`);
    return found;
  };
  return {
    root,
    tool,
    async run(name, args, context) {
      return String(await tool(name).run(tool(name).input.parse(args), toolContext(context)));
    },
    async reconcile(name, args) {
      return tool(name).reconcile?.('key-1', tool(name).input.parse(args), { setup: undefined });
    },
  };
}

/** A workbench, with `sh` for its bash. */
export function bash(env?: Record<string, string>) {
  const bench = workbench(env ? { env } : {});
  return {
    ...bench,
    sh: (command: string, more: object = {}, context: Partial<ToolContext> = {}) =>
      bench.run('bash', { command, ...more }, context),
  };
}
