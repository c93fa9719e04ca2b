import { setTimeout } from 'node:timers/promises';
import { defineTool, notDone, type Tool, type ToolContext } from 'holdfast';
import { z } from 'zod';
import { IDEMPOTENT, type ToolName } from './plan.js';
import { appendRecord, type LedgerLine, readRecords } from './records.js';

const input = z.object({ ms: z.int() });
type Args = z.infer<typeof input>;
type Body = (args: Args, context: ToolContext, effect: () => void) => Promise<string>;

/** What each tool does between its two lines of the ledger. */
const BODIES: Record<ToolName, Body> = {
  async pay({ ms }, _context, effect) {
    await setTimeout(ms / 2);
    effect();
    await setTimeout(ms / 2);
    return 'paid';
  },
  async transfer({ ms }, _context, effect) {
    await setTimeout(ms / 2);
    effect();
    await setTimeout(ms / 2);
    return 'transferred';
  },
  async look({ ms }) {
    await setTimeout(ms);
    return 'seen';
  },
  async flaky({ ms }) {
    await setTimeout(ms);
    throw new Error('the weather is bad');
  },
  async crawl({ ms }, { signal }) {
    await setTimeout(ms, undefined, { signal });
    return 'crawled';
  },
  async stubborn({ ms }) {
    await setTimeout(ms);
    return 'went through with it';
  },
};

/** All tools, each of which writes down in the ledger when its body really runs. */
export function chaosTools(ledger: string): Tool<typeof input, string>[] {
  return Object.entries(BODIES).map(([name, body]) => chaosTool(ledger, name as ToolName, body));
}

function chaosTool(ledger: string, tool: ToolName, body: Body): Tool<typeof input, string> {
  const write = (event: LedgerLine['event'], key: string, how?: LedgerLine['how']) => {
    const line = { event, tool, key, pid: process.pid, at: Date.now(), ...(how && { how }) };
    appendRecord<LedgerLine>(ledger, line);
  };
  return defineTool({
    name: tool,
    description: `Does what ${tool} does.`,
    input,
    idempotent: IDEMPOTENT.includes(tool),
    async run(args, context) {
      const key = context.idempotencyKey;
      write('began', key);
      try {
        const result = await body(args, context, () => write('effect', key));
        write('ended', key, 'returned');
        return result;
      } catch (error) {
        write('ended', key, 'threw');
        throw error;
      }
    },
    ...(tool === 'transfer' && {
      reconcile(key: string) {
        write('asked', key);
        const lines = readRecords<LedgerLine>(ledger);
        return lines.some((line) => line.event === 'effect' && line.key === key) ? 'transferred' : notDone;
      },
    }),
  });
}
