import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, toolCall } from '../../src/testing/index.js';
import { CrashPlace } from './crash-place.js';

let place: CrashPlace;
beforeAll(async () => {
  place = await CrashPlace.open();
  await place.worker();
});
afterAll(() => place.close());

const clientModule = fileURLToPath(new URL('../../dist/client.js', import.meta.url));

/** A process that watches a turn and prints the number of each recorded event. */
function watchingProcess(turnId: string) {
  const script = `
    const { AgentClient } = await import(${JSON.stringify(clientModule)});
    const client = await AgentClient.connect({ address: ${JSON.stringify(process.env['TEMPORAL_ADDRESS'])} });
    for await (const event of client.turn(${JSON.stringify(turnId)}).events()) {
      console.log(JSON.stringify({ seq: event.seq, type: event.type }));
    }`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('a client killed while it watches changes nothing, and another one takes up after the last event it saw', async () => {
  const turn = await place.start([toolCall('hold'), text('done')]);
  const watching = watchingProcess(turn.handle.turnId);
  let printed = '';
  while (!printed.includes('tool_started')) {
    const [bytes] = (await once(watching.stdout, 'data')) as [Buffer];
    printed += bytes.toString();
  }
  const exited = once(watching, 'exit');
  watching.kill('SIGKILL');
  await exited;
  const seen = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; type: string });

  const rest = [];
  turn.release();
  for await (const event of place.client.turn(turn.handle.turnId).events({ after: seen.at(-1)?.seq ?? 0 })) {
    rest.push(event);
  }
  expect(rest.map(({ type }) => type)).toEqual(['tool_finished', 'model_started', 'message', 'turn_ended']);
  const { outcome } = await turn.ended();
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  expect(turn.runsOf('hold')).toBe(1);
});
