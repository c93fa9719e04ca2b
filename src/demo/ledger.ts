import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { AnyTool } from '../define/define-agent.js';

/** A line of the ledger: what a tool's body did, written by the process that ran it, at the time when it did. */
export type LedgerLine = {
  event: 'began' | 'took_effect' | 'ended' | 'asked';
  tool: string;
  callId: string;
  pid: number;
  at: string;
};

/** A file that outlives every worker: the record of real executions. */
export class Ledger {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  write(event: LedgerLine['event'], tool: string, callId: string): void {
    const line: LedgerLine = { event, tool, callId, pid: process.pid, at: new Date().toISOString() };
    appendFileSync(this.path, `${JSON.stringify(line)}\n`, { flush: true });
  }

  read(): LedgerLine[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LedgerLine);
  }
}

/** The same tool, which writes down each execution of its body, and each question what came of one. */
export function recorded(
  tool: AnyTool,
  ledger: Ledger,
  afterBody?: (signal: AbortSignal) => Promise<void>,
): AnyTool {
  const { reconcile } = tool;
  return {
    ...tool,
    async run(args, context) {
      ledger.write('began', tool.name, context.callId);
      const result: unknown = await tool.run(args, context);
      ledger.write('took_effect', tool.name, context.callId);
      await afterBody?.(context.signal);
      ledger.write('ended', tool.name, context.callId);
      return result;
    },
    ...(reconcile && {
      reconcile(key: string, args: unknown, context: { setup: unknown }) {
        ledger.write('asked', tool.name, key.split('/').at(-1) ?? key);
        return reconcile(key, args, context);
      },
    }),
  };
}
