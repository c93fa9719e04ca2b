// A worker process of the demo. Its parent kills it.
import { setTimeout } from 'node:timers/promises';
import { coder } from '../cli/coder.js';
import { installQuietRuntime } from '../cli/quiet-runtime.js';
import { scriptedModel } from '../testing/index.js';
import { connectWorker } from '../worker/connect.js';
import { serveSupervised } from '../worker/supervised-process.js';
import { createWorker } from '../worker.js';
import { Ledger, recorded } from './ledger.js';
import { demoScript } from './script.js';

const HOLD_MS = 60_000;

const [, , address = '', namespace = '', taskQueue = '', root = '', ledgerPath = ''] = process.argv;
const ledger = new Ledger(ledgerPath);

/** Keeps write_file open after its real write, so that there is a middle to be killed in. */
async function holdOpen(signal: AbortSignal): Promise<void> {
  await setTimeout(HOLD_MS, undefined, { signal });
}

installQuietRuntime();
const agent = coder(root, scriptedModel(demoScript, { pieceDelayMs: 20 }));
const tools = agent.tools.map((tool) =>
  recorded(tool, ledger, tool.name === 'write_file' ? holdOpen : undefined),
);
const place = await connectWorker({ address, namespace });
await serveSupervised((onActivity) =>
  createWorker({ agents: [{ ...agent, tools }], ...place, taskQueue, onActivity }),
);
process.exit(0);
