import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text, toolCall } from '../../src/testing/index.js';
import { CrashPlace } from './crash-place.js';

let place: CrashPlace;
beforeAll(async () => {
  place = await CrashPlace.open();
});
afterAll(() => place.close());

describe.concurrent('a worker killed without a supervisor', () => {
  test('in a tool that may run once is noticed when its heartbeats cease: its effects are unknown', async () => {
    const first = await place.worker({ taskQueue: 'ceased' });
    const turn = await place.start([toolCall('hold'), text('done')], { taskQueue: 'ceased' });
    await turn.until('began', 'hold');
    await first.signal('SIGKILL');
    await place.worker({ taskQueue: 'ceased' });
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
    expect(turn.runsOf('hold')).toBe(1);
  });

  test('before a tool began is noticed, too, and the tool runs on another worker', async () => {
    const first = await place.worker({ taskQueue: 'not-begun' });
    const doomed = toolCall('quick', {}, { id: 'dies_before_alone' });
    const turn = await place.start([doomed, text('done')], { taskQueue: 'not-begun' });
    await first.exited;
    await place.worker({ taskQueue: 'not-begun' });
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('quick')).toBe(1);
  });

  test('between two activities, in the middle of a workflow task, loses nothing', async () => {
    const first = await place.worker({ taskQueue: 'in-task' });
    const script = [toolCall('quick'), toolCall('quick', {}, { id: 'dies_in_task' }), text('done')];
    const turn = await place.start(script, { taskQueue: 'in-task' });
    await first.exited;
    await place.worker({ taskQueue: 'in-task' });
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 3 });
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(turn.runsOf('quick')).toBe(2);
    expect(turn.modelCalls).toBe(3);
  });

  test('in a tool that was interrupted does not hold the turn: it may still be running', async () => {
    const first = await place.worker({ taskQueue: 'interrupted' });
    const turn = await place.start([toolCall('deaf'), text('never said')], { taskQueue: 'interrupted' });
    await turn.until('began', 'deaf');
    await place.worker({ taskQueue: 'interrupted' });
    await turn.handle.interrupt();
    await turn.untilHistory('timerStartedEventAttributes');
    await first.signal('SIGKILL');
    const { outcome, results } = await turn.ended();
    expect(outcome.type).toBe('interrupted');
    expect(results).toMatchObject([{ status: 'interrupted', cause: 'may_still_run' }]);
    expect(turn.modelCalls).toBe(1);
  });

  test('leaves a transcript that can be read while there is no worker at all', async () => {
    const first = await place.worker({ taskQueue: 'nobody' });
    const turn = await place.start([toolCall('quick'), toolCall('hold')], { taskQueue: 'nobody' });
    await turn.until('began', 'hold');
    await first.signal('SIGKILL');
    const transcript = await turn.handle.transcript();
    expect(transcript.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(transcript[2]?.content).toMatchObject([{ status: 'ok' }]);
  });
});
