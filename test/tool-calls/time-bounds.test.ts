import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounded } from '../../src/activities/time-bounds.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work with a second, and half a second more once that is over; and 0.6 seconds from when it is asked to stop. */
function begun(waitsOn = false) {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const work = new Promise<string>((give, refuse) => {
    [resolve, reject] = [give, refuse];
  });
  const asked = new AbortController();
  const onLate = vi.fn();
  const how = vi.fn();
  const { signal } = asked;
  const bounds = { ms: 1000, onLate, lateMs: 500, signal, graceMs: 600, waitsOn: () => waitsOn };
  bounded(work, bounds).then(how, how);
  const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { asked, how, onLate, resolve, reject, after };
}

test('work in time gives its value, and leaves no timer behind', async () => {
  const { how, onLate, resolve, after } = begun();
  await after(999);
  resolve('done');
  await after(0);
  expect(how).toHaveBeenCalledExactlyOnceWith({ value: 'done', isLate: false });
  expect(vi.getTimerCount()).toBe(0);
  expect(onLate).not.toHaveBeenCalled();
});

test('work that stops when it is told that it is late gives its value as late', async () => {
  const { how, onLate, resolve, after } = begun();
  await after(1000);
  expect(onLate).toHaveBeenCalledOnce();
  resolve('stopped');
  await after(0);
  expect(how).toHaveBeenCalledExactlyOnceWith({ value: 'stopped', isLate: true });
  expect(vi.getTimerCount()).toBe(0);
});

test('work that does not is overdue, and what it rejects with later troubles nobody', async () => {
  const { how, reject, after } = begun();
  await after(1500);
  expect(how).toHaveBeenCalledExactlyOnceWith('overdue');
  reject(new Error('too late'));
  await after(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that is asked to stop and does not is deaf, counted from when it was asked, also over the end of its time', async () => {
  const { asked, how, after } = begun();
  await after(800);
  asked.abort();
  await after(599);
  expect(how).not.toHaveBeenCalled();
  await after(1);
  expect(how).toHaveBeenCalledExactlyOnceWith('deaf');
  expect(vi.getTimerCount()).toBe(0);
});

test('of what is waited for all the same only the time counts', async () => {
  const { asked, how, after } = begun(true);
  asked.abort();
  await after(1499);
  expect(how).not.toHaveBeenCalled();
  await after(1);
  expect(how).toHaveBeenCalledExactlyOnceWith('overdue');
});

test('work that throws rejects, and leaves no timer behind', async () => {
  const { how, reject, after } = begun();
  reject(new Error('broken'));
  await after(0);
  expect(how).toHaveBeenCalledExactlyOnceWith(new Error('broken'));
  expect(vi.getTimerCount()).toBe(0);
});
