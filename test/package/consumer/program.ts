import { Client, Connection } from '@temporalio/client';
import { AgentClient } from 'holdfast/client';
import { runWorker } from 'holdfast/worker';
import type { support } from './agent.js';

const taskQueue = 'package-test';
const agents = [(await import('./agent.js')).support];
const serving = runWorker({ agents, taskQueue });
const client = await AgentClient.connect({ taskQueue });
const turn = await client.start<typeof support>('support', 'I want my money back', { turnId: 'package-esm' });
const events: string[] = [];
for await (const event of turn.events()) events.push(event.type);
// From another process, another day; with a Temporal client of one's own.
const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233' });
const own = new AgentClient({ client: new Client({ connection }), taskQueue });
const outcome = await own.turn<typeof support>(turn.turnId).result();
if (outcome.type !== 'completed') throw new Error(`the turn is ${outcome.type}`);
const summary: string = outcome.output.summary;
const calls = outcome.steps.flatMap((step) => step.calls).map(({ name, status }) => `${name} ${status}`);
console.log(JSON.stringify({ summary, calls, lastEvent: events.at(-1) }));
await connection.close();
await client.close();
process.kill(process.pid, 'SIGTERM');
await serving;
