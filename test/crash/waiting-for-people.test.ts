import { expect, test, vi } from 'vitest';
import { startTemporaryServer } from '../../src/server/temporary-server.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { CrashPlace } from './crash-place.js';

test('approvals outlive the worker and the server: two of them, decided in reverse order', async () => {
  const server = await startTemporaryServer({ ui: false });
  const place = await CrashPlace.open(server.address);
  try {
    const worker = await place.worker();
    const turn = await place.start([
      reply(toolCall('asked'), toolCall('quick'), toolCall('asked')),
      text('done'),
    ]);
    await turn.until('ended', 'quick');
    const waiting = async () => (await turn.handle.state()).waitingFor?.map(({ callId }) => callId);
    const before = await vi.waitFor(async () => {
      const ids = await waiting();
      expect(ids).toHaveLength(2);
      return ids;
    });
    server.kill();
    await worker.signal('SIGKILL');
    await server.restart();
    // Nobody is there to hear it: it is kept.
    await turn.handle.approve(before?.[1] ?? '', { id: 'second' });
    await place.worker();
    await vi.waitFor(async () => expect(await waiting()).toEqual(before?.slice(0, 1)), { timeout: 30_000 });
    await turn.handle.deny(before?.[0] ?? '', { reason: 'no more' });
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results.map(({ status }) => status)).toEqual(['denied', 'ok', 'ok']);
    expect(turn.runsOf('asked')).toBe(1);
  } finally {
    await place.close();
    await server.stop();
  }
});
