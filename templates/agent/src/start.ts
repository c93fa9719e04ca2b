// npm start, or npm start -- "Where is W1000000?": a worker, and one turn to watch. In production they are apart: workers
// run on as many machines as you like (npm run worker), and clients anywhere start turns and watch them.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AgentClient, TurnFailed } from 'holdfast/client';
import { agent, hasModel } from './agent.js';

const prompt = process.argv.slice(2).join(' ') || 'Where is my order W2378156?';
if (!hasModel) {
  console.log('No OPENAI_API_KEY is set: a scripted model answers, whatever you ask. (src/offline-model.ts)');
}

// TEMPORAL_ADDRESS, else the server that `holdfast server start` has found or started.
const { TEMPORAL_ADDRESS, HOLDFAST_PORT = '7233' } = process.env;
const address = TEMPORAL_ADDRESS || `localhost:${HOLDFAST_PORT}`;
const client = await AgentClient.connect({ address, taskQueue: agent.name });
const worker = startWorker();
try {
  // Give it a turnId of yours, such as a ticket's number, and starting it twice runs it once.
  const turn = await client.start<typeof agent>(agent.name, prompt, { stream: true });
  console.log(`\nTurn ${turn.turnId}\n> ${prompt}`);
  for await (const event of turn.events()) {
    if (event.type === 'tool_started') console.log(`  → ${event.summary}`);
    if (event.type === 'tool_finished') console.log(`  ← ${event.result.status}`);
    if (event.type === 'retry_waiting') console.log(`  ↻ ${event.failure.message}`);
  }
  const outcome = await turn.result();
  console.log(outcome.text);
  console.log(`\n${outcome.type}, after ${outcome.iterations} model calls`);
} catch (error) {
  // A wrong key, a model that does not answer: what each type means, and what to do, is in Holdfast's docs/errors.md.
  if (!(error instanceof TurnFailed)) throw error;
  console.error(`${error.type}: ${error.message}`);
  process.exitCode = 1;
} finally {
  worker.kill('SIGTERM');
  await client.close();
}

/** `holdfast worker`, which has a spare process beside it: kill the first one in the middle of a turn, and it goes on. */
function startWorker() {
  const holdfast = fileURLToPath(new URL('dist/cli/main.js', import.meta.resolve('holdfast/package.json')));
  const module = fileURLToPath(new URL('agent.js', import.meta.url));
  return spawn(process.execPath, [holdfast, 'worker', module, '--task-queue', agent.name], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
}
