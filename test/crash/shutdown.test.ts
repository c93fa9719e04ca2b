import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { CrashPlace, type WorkerProcess } from './crash-place.js';

// A worker serves; a test starts the next one and ends the one that serves by SIGTERM, as every deploy does.
let place: CrashPlace;
let serving: WorkerProcess;
beforeAll(async () => {
  place = await CrashPlace.open();
  serving = await place.worker({ graceTime: '500ms' });
});
afterAll(() => place.close());

/** Starts another worker, then tells the one that serves to end. */
async function deploy(): Promise<{ drained: Promise<unknown> }> {
  const leaving = serving;
  serving = await place.worker({ graceTime: '500ms' });
  await leaving.signal('SIGTERM');
  return { drained: leaving.exited };
}

describe('a worker that is told to end by SIGTERM', () => {
  test('gives up a model call at once, and another worker makes it', async () => {
    let calls = 0;
    const slowFirst = () => {
      calls += 1;
      return calls === 1 ? reply(text('late'), { delayMs: Number.POSITIVE_INFINITY }) : text('done');
    };
    const turn = await place.start([slowFirst]);
    await turn.untilModelCalls(1);
    const { drained } = await deploy();
    const { outcome } = await turn.ended();
    await drained;
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(turn.modelCalls).toBe(2);
  });

  test.runIf(long)('lets a tool end that ends in time, and its result counts', async () => {
    const turn = await place.start([toolCall('pause', { ms: 300 }), text('done')]);
    await turn.until('began', 'pause');
    await deploy();
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('pause')).toBe(1);
  });

  test('stops a tool that takes too long: its effects are unknown, and nobody interrupted it', async () => {
    const turn = await place.start([toolCall('hold'), text('done')]);
    await turn.until('began', 'hold');
    const { drained } = await deploy();
    await drained;
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
    expect(JSON.stringify(results)).not.toContain('interrupted');
    expect(turn.runsOf('hold')).toBe(1);
    expect(turn.lines('began', 'stop of hold')).toHaveLength(1);
  });

  test('does not wait for a tool that ignores its signal: its effects are unknown', async () => {
    const turn = await place.start([toolCall('deaf'), text('done')]);
    await turn.until('began', 'deaf');
    const { drained } = await deploy();
    await drained;
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
    expect(turn.runsOf('deaf')).toBe(1);
  });

  test.runIf(long)(
    'stops an idempotent tool that takes too long, which runs again on another worker',
    async () => {
      const turn = await place.start([toolCall('hold_again'), text('done')]);
      await turn.until('began', 'hold_again');
      await deploy();
      await turn.until('began', 'hold_again', 2);
      turn.release();
      const { results } = await turn.ended();
      expect(results).toMatchObject([{ status: 'ok' }]);
    },
  );

  test('stops a tool that can tell what came of it: another worker asks', async () => {
    const turn = await place.start([toolCall('pay', { effect: true }), text('done')]);
    await turn.until('took_effect', 'pay');
    await deploy();
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'ok', content: [{ text: 'it was paid' }] }]);
    expect(turn.runsOf('pay')).toBe(1);
    expect(turn.lines('asked', 'pay')).toHaveLength(1);
  });
});
