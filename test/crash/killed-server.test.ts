import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTemporaryServer, type TemporaryServer } from '../../src/server/temporary-server.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { CrashPlace, type WorkerProcess } from './crash-place.js';

// A server of this file's own, which is killed and started again on the same data.
let server: TemporaryServer;
let place: CrashPlace;
let worker: WorkerProcess;
beforeAll(async () => {
  server = await startTemporaryServer({ ui: false });
  place = await CrashPlace.open(server.address);
  worker = await place.worker();
});
afterAll(async () => {
  await place.close();
  await server.stop();
});

async function crashServer(): Promise<void> {
  server.kill();
  await server.restart();
}

describe('a Temporal server killed and started again', () => {
  test('during a tool: the tool goes on, ran once, and its result counts', async () => {
    const turn = await place.start([toolCall('hold'), text('done')]);
    const { events, ended } = turn.watch();
    await turn.until('began', 'hold');
    await crashServer();
    turn.release();
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('hold')).toBe(1);
    await ended;
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
  });

  test('during a tool that ends in the outage: its result is told when the server is back', async () => {
    const turn = await place.start([toolCall('hold'), text('done')]);
    await turn.until('began', 'hold');
    server.kill();
    turn.release();
    await turn.until('ended', 'hold');
    await server.restart();
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('hold')).toBe(1);
  });

  test('during a model call: the reply counts, and is not asked for twice', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = async () => {
      await answered;
      return text('done');
    };
    const turn = await place.start([slow]);
    await turn.untilModelCalls(1);
    await crashServer();
    answer();
    const { outcome } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(turn.modelCalls).toBe(1);
  });

  test('together with the worker: the turn goes on from where it was', async () => {
    const calls = reply(toolCall('quick'), toolCall('hold'));
    const turn = await place.start([calls, text('done')]);
    await turn.until('ended', 'quick');
    await turn.until('began', 'hold');
    server.kill();
    await worker.signal('SIGKILL');
    await server.restart();
    worker = await place.worker();
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results.map(({ status }) => status)).toEqual([expect.stringMatching(/ok|unknown/), 'unknown']);
    expect([turn.runsOf('quick'), turn.runsOf('hold')]).toEqual([1, 1]);
  });
});
