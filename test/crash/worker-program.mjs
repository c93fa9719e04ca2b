// The worker of the crash tests: a process of its own, to be killed. Its tools write each execution down in a ledger
// that outlives it, and hold until a file tells them to end.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { z } from 'zod';
import { Ledger } from '../../dist/demo/ledger.js';
import { defineAgent, defineTool, notDone, openai } from '../../dist/index.js';
import { serveSupervised } from '../../dist/worker/supervised-process.js';
import { createWorker } from '../../dist/worker.js';

const plan = JSON.parse(process.argv[2] ?? '');
const ledger = new Ledger(plan.ledger);
appendFileSync(plan.pids, `${process.pid}\n`);

async function untilReleased(turnId, signal) {
  const options = signal ? { signal } : {};
  // A sub-agent's are released with the turn that called it.
  const [turn] = turnId.split('/');
  while (!existsSync(`${plan.release}-${turn}`)) await setTimeout(20, undefined, options);
}

function tool(name, body, more = {}) {
  return defineTool({
    name,
    description: name,
    input: z.object({ ms: z.number().optional(), effect: z.boolean().optional() }),
    async run(args, context) {
      const key = context.idempotencyKey;
      ledger.write('began', name, key);
      if (args.effect) ledger.write('took_effect', name, key);
      await body(args, context);
      ledger.write('ended', name, key);
      return `${name} ended`;
    },
    ...more,
  });
}

/** Keeps the event loop to itself. */
function block(ms) {
  for (const until = Date.now() + ms; Date.now() < until; );
}

function whatCameOfIt(key) {
  ledger.write('asked', 'pay', key);
  const paid = ledger.read().some((line) => line.event === 'took_effect' && line.callId === key);
  return paid ? 'it was paid' : notDone;
}

/** Writes down that it was told to stop. */
function held(name) {
  return async (_args, { turnId, signal, idempotencyKey }) => {
    signal.addEventListener('abort', () => ledger.write('began', `stop of ${name}`, idempotencyKey));
    await untilReleased(turnId, signal);
  };
}
const model = openai({ baseURL: plan.provider, apiKey: 'k', model: 'scripted' });
const helper = defineAgent({
  name: 'helper',
  description: 'Helps.',
  instructions: 'Help.',
  model,
  tools: [tool('hold', held('hold')), tool('hold_again', held('hold_again'), { idempotent: true })],
});
const agent = defineAgent({
  name: 'crashing',
  instructions: 'Crash.',
  model,
  tools: [
    helper,
    tool('quick', () => undefined),
    tool('hold', held('hold')),
    tool('asked', () => undefined, { approval: 'ask' }),
    tool('hold_again', held('hold_again'), { idempotent: true }),
    tool('deaf', (_args, { turnId }) => untilReleased(turnId)),
    tool('pause', ({ ms = 0 }) => setTimeout(ms)),
    tool('block', ({ ms = 0 }) => block(ms)),
    tool('dies_once', (_args, { idempotencyKey }) => dieOnce(idempotencyKey.replaceAll('/', '-')), {
      idempotent: true,
      execution: 'local',
    }),
    tool('pay', held('pay'), { reconcile: whatCameOfIt }),
  ],
});

/** The first process that gets a call of this id dies: before its body begins, or when that has ended. */
function dieIf(report) {
  const id = report.type === 'activity_started' ? 'dies_before' : 'dies_after';
  const activityId = report.activityId ?? running.get(report.token) ?? '';
  running.set(report.token, activityId);
  const found = activityId.split('.').find((part) => part.startsWith(id));
  if (found) dieOnce(found);
}

/** For the first process that comes here with this call id. */
function dieOnce(callId) {
  const marker = `${plan.release}-${callId}`;
  if (existsSync(marker)) return;
  writeFileSync(marker, '');
  process.kill(process.pid, 'SIGKILL');
}

/** Dies in the middle of the workflow task that starts a call of this id: as its answer is put into words. */
const dyingCodec = {
  async encode(payloads) {
    for (const { data } of payloads) {
      const [, id] = /"tool":.*"(dies_in_task\w*)"/.exec(Buffer.from(data ?? []).toString()) ?? [];
      if (id) dieOnce(id);
    }
    return payloads;
  },
  decode: async (payloads) => payloads,
};

const running = new Map();
const { taskQueue } = plan;
const worker = {
  shutdownGraceTime: plan.graceTime,
  dataConverter: { payloadCodecs: [dyingCodec] },
  ...plan.worker,
};
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  ...(plan.supervised && { shutdownSignals: [] }),
});
const connection = await NativeConnection.connect({ address: plan.address });
const make = (tell) =>
  createWorker({
    agents: [agent],
    connection,
    taskQueue,
    worker,
    onActivity(report) {
      tell(report);
      dieIf(report);
    },
  });
if (plan.supervised) await serveSupervised(make);
else {
  const made = await make(() => undefined);
  const ended = made.worker.run();
  console.log('ready');
  await ended;
}
process.exit(0);
