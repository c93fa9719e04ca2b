import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { CrashPlace } from '../crash/crash-place.js';
import { textOfResult } from '../turn/agents.js';

let place: CrashPlace;
let supervisor: Awaited<ReturnType<CrashPlace['supervised']>>;
beforeAll(async () => {
  place = await CrashPlace.open();
  supervisor = await place.supervised();
});
afterAll(() => place.close());

test('a worker killed while two sub-agents run is replaced, and both go on from where they were', async () => {
  const [first, second] = [
    place.prompt([toolCall('hold_again'), text('first is done')]),
    place.prompt([toolCall('hold'), text('second is done')]),
  ];
  const turn = await place.start([
    reply(toolCall('helper', { task: first }), toolCall('helper', { task: second })),
    text('done'),
  ]);
  await turn.until('began', 'hold_again');
  await turn.until('began', 'hold');
  supervisor.kill();
  await turn.until('began', 'hold_again', 2);
  turn.release();
  const { outcome, results } = await turn.ended();
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', usage: { modelCalls: 6 } });
  expect(results.map(textOfResult)).toEqual(['first is done', 'second is done']);
  expect(turn.runsOf('hold')).toBe(1);
});
