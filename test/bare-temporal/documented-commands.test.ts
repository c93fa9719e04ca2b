import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '../../src/index.js';
import { findProgram } from '../../src/server/find-program.js';
import { resolveSettings } from '../../src/server/settings.js';
import { startTemporaryServer } from '../../src/server/temporary-server.js';
import { scriptedModel, text, toolCall, withWorker } from '../../src/testing/index.js';
import { askSupport } from './bare-client.js';

const page = readFileSync(new URL('../../docs/bare-temporal.md', import.meta.url), 'utf8');
const run = promisify(execFile);

/** What the page's agent waits for; each call of its tool has its own. */
const waiting: (() => void)[] = [];
const letGo = () => {
  for (const go of waiting.splice(0)) go();
};

const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Look up an order by its id.',
  input: z.object({ orderId: z.string() }),
  run: (_, { signal }) =>
    new Promise<string>((resolve, reject) => {
      waiting.push(() => resolve('on its way'));
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
});
const support = defineAgent({
  name: 'support',
  instructions: 'You help customers of a shop.',
  model: scriptedModel([toolCall('look_up_order', { orderId: 'W2378156' }), text('It is on its way.')]),
  tools: [lookUpOrder],
});

/** A folder for PATH with nothing in it but the real `temporal`. */
async function temporalFolder(): Promise<string> {
  const { cacheDir } = resolveSettings({});
  const program = await findProgram({ env: process.env, cacheDir, onProgress: () => undefined });
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-temporal-program-'));
  symlinkSync(program, join(folder, 'temporal'));
  return folder;
}

// A server of its own, since the page's ids and its queue are as they are.
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const server = await startTemporaryServer({ ui: false });
  vi.stubEnv('TEMPORAL_ADDRESS', server.address);
  return () => server.stop();
});

test('the commands of docs/bare-temporal.md do what the page says', async () => {
  const env = { ...process.env, PATH: `${await temporalFolder()}${delimiter}${process.env['PATH']}` };
  const blocks = [...page.matchAll(/^```(sh|json)\n(.*?)^```$/gms)].map(([, kind, body = '']) => ({
    kind,
    body,
  }));
  expect(blocks.filter(({ kind }) => kind === 'sh').length).toBeGreaterThan(12);
  let printed = '';
  const play = async () => {
    for (const { kind, body } of blocks) {
      if (kind === 'json') {
        expect(JSON.parse(printed), body).toMatchObject(JSON.parse(body));
        continue;
      }
      if (body.startsWith('temporal workflow result')) letGo();
      printed = (await run('sh', ['-ec', body], { env })).stdout;
      if (body.startsWith('temporal workflow start')) while (waiting.length === 0) await setTimeout(20);
      // What ends a turn has ended the call, too.
      if (/ cancel | interrupt /.test(body)) waiting.splice(0);
    }
  };
  await withWorker(support, play, { taskQueue: 'holdfast' });
});

test('the program of docs/bare-temporal.md runs with the bare client', async () => {
  const code = readFileSync(new URL('bare-client.ts', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`ts\n${code}\`\`\``);
  await withWorker(
    support,
    async ({ client }) => {
      const asked = askSupport(client.client, 'Where is W2378156?');
      // A stop lets what runs finish: the tool does so once the stop is with the turn.
      const turn = client.client.workflow.getHandle('ticket-81');
      await vi.waitUntil(() => isAsked(turn).catch(() => false), { timeout: 30_000 });
      const opening = setInterval(letGo, 20);
      expect(await asked.finally(() => clearInterval(opening))).toBe('done, interrupted');
    },
    { taskQueue: 'holdfast' },
  );
});

/** Whether an update is in the turn's history. */
async function isAsked(turn: WorkflowHandle): Promise<boolean> {
  const { events } = await turn.fetchHistory();
  return events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes) ?? false;
}
