import { expect, test, vi } from 'vitest';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { attempts, type FaultOptions, fault, text } from '../../src/testing/index.js';
import { servedModel } from './agents.js';
import { sharedWorker } from './shared-worker.js';

const worker = sharedWorker([]);
const SECOND = 1000;

async function limitedTurn(options: FaultOptions) {
  const limited = () => attempts(fault({ status: 429, ...options }), text('done'));
  const { server, model } = await servedModel([limited]);
  return { server, turn: await worker.start(model) };
}

/** How long Temporal waits between the two tries, as it says itself, in whole milliseconds. */
async function retryIntervalMs(turn: TurnHandle): Promise<number> {
  const handle = worker.client.client.workflow.getHandle(turn.turnId);
  return await vi.waitFor(
    async () => {
      const { raw } = await handle.describe();
      const interval = raw.pendingActivities?.[0]?.currentRetryInterval;
      expect(Number(interval?.seconds ?? 0)).toBeGreaterThan(0);
      return Number(interval?.seconds) * SECOND + Math.floor(Number(interval?.nanos ?? 0) / 1e6);
    },
    { timeout: 20_000, interval: 20 },
  );
}

// O19
test.each<[string, FaultOptions, number]>([
  ['Retry-After in seconds', { retryAfter: 20 }, 20 * SECOND],
  ['in fractions of seconds', { retryAfter: '20.5' }, 20.5 * SECOND],
  [
    'retry-after-ms before Retry-After',
    { retryAfter: 7, headers: { 'retry-after-ms': '20250' } },
    20.25 * SECOND,
  ],
  ['a far future, up to ten minutes', { retryAfter: 999_999_999 }, 600 * SECOND],
  ['a date in a far future', { retryAfter: 'Fri, 01 Jan 2100 00:00:00 GMT' }, 600 * SECOND],
  ['the text of the error', { body: { error: { message: 'Please try again in 20.5s.' } } }, 20.5 * SECOND],
])('the next try waits as the provider says: %s', async (_, options, expected) => {
  const { server, turn } = await limitedTurn(options);
  expect(await retryIntervalMs(turn)).toBe(expected);
  await turn.interrupt();
  await turn.result();
  expect(server.requests).toHaveLength(1);
});

// O19
test('the next try waits until the date that the provider says, exact to the second, and never goes before it', async () => {
  const at = Date.now() + 30 * SECOND;
  const { turn } = await limitedTurn({ retryAfter: new Date(at).toUTCString() });
  const waitMs = await retryIntervalMs(turn);
  expect(waitMs).toBeLessThanOrEqual(30 * SECOND);
  expect(waitMs).toBeGreaterThan(10 * SECOND);
  expect(waitMs % SECOND).toBe(0);
  await turn.interrupt();
  await turn.result();
});

// O19
test.each([
  ['nothing', {}],
  ['0', { retryAfter: 0 }],
  ['a date that is past', { retryAfter: 'Sat, 28 Feb 2026 00:00:00 GMT' }],
  ['what nobody understands', { retryAfter: 'soon' }],
  ['250 ms', { headers: { 'retry-after-ms': '250' } }],
])('a wait of %s ends, and the call succeeds', async (_, options) => {
  const { server, turn } = await limitedTurn(options);
  expect(await turn.result()).toMatchObject({ type: 'completed', text: 'done' });
  expect(server.requests.map(({ attempt }) => attempt)).toEqual([1, 2]);
});
