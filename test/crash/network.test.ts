import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text, toolCall } from '../../src/testing/index.js';
import { CrashPlace } from './crash-place.js';
import { type TcpProxy, tcpProxy } from './tcp-proxy.js';

let place: CrashPlace;
let proxies: TcpProxy[] = [];
beforeAll(async () => {
  place = await CrashPlace.open();
});
afterAll(async () => {
  for (const proxy of proxies) proxy.close();
  await place.close();
});

/** A worker behind a connection of its own, on a task queue of its own. */
async function workerBehindProxy(taskQueue: string): Promise<TcpProxy> {
  const proxy = await tcpProxy(process.env['TEMPORAL_ADDRESS'] ?? '');
  proxies = [...proxies, proxy];
  await place.worker({ address: proxy.address, taskQueue });
  return proxy;
}

describe.concurrent('the network between worker and server', () => {
  test('is cut for two seconds during a tool: nothing happens', async () => {
    const network = await workerBehindProxy('short-cut');
    const turn = await place.start([toolCall('hold'), text('done')], { taskQueue: 'short-cut' });
    await turn.until('began', 'hold');
    network.cut();
    await setTimeout(2000);
    network.mend();
    turn.release();
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('hold')).toBe(1);
  });

  test('is cut until the tool is taken for lost: it is unknown, does not run again, and its late result is refused', async () => {
    const network = await workerBehindProxy('long-cut');
    const turn = await place.start([toolCall('hold'), text('done')], { taskQueue: 'long-cut' });
    await turn.until('began', 'hold');
    network.cut();
    await turn.untilHistory('activityTaskTimedOutEventAttributes');
    turn.release();
    await turn.until('ended', 'hold');
    network.mend();
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
    expect(turn.runsOf('hold')).toBe(1);
  });

  test('is cut until the tool is taken for lost: when it is back, the tool hears that nobody waits for it', async () => {
    const network = await workerBehindProxy('lost-lease');
    const turn = await place.start([toolCall('hold'), text('done')], { taskQueue: 'lost-lease' });
    await turn.until('began', 'hold');
    network.cut();
    await turn.untilHistory('activityTaskTimedOutEventAttributes');
    network.mend();
    await turn.until('began', 'stop of hold');
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'unknown' }]);
    expect(turn.lines('ended', 'hold')).toHaveLength(0);
  });
});

describe('an event loop that is blocked for five seconds by a tool', () => {
  test('gives no false alarm: the tool ran once, and its result counts', async () => {
    await place.worker();
    const turn = await place.start([toolCall('block', { ms: 5000 }), text('done')]);
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('block')).toBe(1);
  });
});
