import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CutPlace, keptCount } from '../../src/shared/cut-transcript.js';
import { sessionInputProblems } from '../../src/shared/session.js';
import { enqueued, type QueueItem, reopened, withdrawnFrom } from '../../src/shared/session-queue.js';
import { sendProblems } from '../../src/shared/session-requests.js';
import { reconcile, transcriptProblems } from '../../src/shared/transcript.js';
import { anyTranscript } from './transcripts.js';

// O13
test('whatever the place, a valid transcript is cut into a valid one, which ends or goes on there', () => {
  fc.assert(
    fc.property(anyTranscript, fc.nat(), fc.boolean(), (any, position, isBefore) => {
      const ids = reconcile(any).map((message, index) => ({ ...message, id: `${index}` }));
      fc.pre(ids.length > 0);
      const at = position % ids.length;
      const keep: CutPlace = isBefore ? { before: `${at}` } : { upTo: `${at}` };
      const count = keptCount(ids, keep) ?? -1;
      const kept = ids.slice(0, count);
      expect(transcriptProblems(kept)).toEqual([]);
      // At most one message from where it was asked for, and only to keep a round together.
      const asked = isBefore ? at : at + 1;
      expect(Math.abs(count - asked)).toBeLessThanOrEqual(1);
      if (count !== asked) expect(ids[asked]?.role).toBe('tool');
      expect(keptCount(kept, 'all')).toBe(count);
    }),
  );
  expect(keptCount([], { upTo: 'x' })).toBeUndefined();
  expect(keptCount([], 'nothing')).toBe(0);
});

describe('a queue', () => {
  const item = (id: string, replaces: boolean): QueueItem => ({
    ...{ id, request: { agent: 'a', prompt: id } },
    ...(replaces && { replaces: true as const }),
  });
  const sent = fc.array(fc.boolean(), { maxLength: 12 });

  test('loses nothing, doubles nothing, and keeps the order of each kind; those that replace come first', () => {
    fc.assert(
      fc.property(sent, (kinds) => {
        const items = kinds.map((replaces, index) => item(`m${index}`, replaces));
        const queue = items.reduce(enqueued, [] as QueueItem[]);
        const ids = (of: readonly QueueItem[]) => of.map(({ id }) => id);
        const first = items.filter(({ replaces }) => replaces);
        expect(ids(queue)).toEqual([...ids(first), ...ids(items.filter(({ replaces }) => !replaces))]);
        // Only the last of those that replace is run to its end.
        expect(ids(queue.filter(({ ended }) => ended))).toEqual(ids(first.slice(0, -1)));
      }),
    );
  });

  test('without one of those that replace, what it was to replace goes to the next of them, or runs to its end', () => {
    const queue = [item('a', true), item('b', true), item('c', true), item('d', false)].reduce(enqueued, []);
    const replaced = (of: readonly QueueItem[]) =>
      of.map(({ id, ended }) => `${id} by ${ended?.id ?? 'none'}`);
    const without = (id: string) =>
      replaced(queue.flatMap((each) => (each.id === id ? withdrawnFrom(queue, each) : [])));
    expect(replaced(queue)).toEqual(['a by b', 'b by c', 'c by none', 'd by none']);
    expect(without('b')).toEqual(['a by c', 'c by none', 'd by none']);
    expect(without('c')).toEqual(['a by b', 'b by none', 'd by none']);
  });

  test('what was handed back opens the next turn, and nothing of the queue is lost', () => {
    fc.assert(
      fc.property(sent, fc.integer({ min: 1, max: 4 }), (kinds, count) => {
        const queue = kinds.map((replaces, index) => item(`m${index}`, replaces)).reduce(enqueued, []);
        const messages = Array.from({ length: count }, (_, index) => ({
          id: `s${index}`,
          message: `s${index}`,
        }));
        const after = reopened(queue, messages, { id: 's0', request: { agent: 'b' } });
        const texts = after.queue.map(({ request }) => [
          request.prompt,
          ...(request.attachments ?? []).map((part) => (part.type === 'text' ? part.text : '')),
        ]);
        expect(texts.flat()).toEqual([
          ...messages.map(({ message }) => message),
          ...queue.map(({ request }) => request.prompt),
        ]);
        expect(after.id).toBe(after.queue[0]?.id);
        const isShared = count > 1 || queue[0]?.replaces === true;
        expect(after.queue.map(({ joined = false }) => joined)).toEqual(
          after.queue.map((_, at) => isShared && at === 0),
        );
        expect(after.queue.length).toBe(queue.length + (queue[0]?.replaces ? 0 : 1));
      }),
    );
  });
});

test('bad input is refused by name, whatever it is', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(Array.isArray(sendProblems(value))).toBe(true);
      expect(Array.isArray(sessionInputProblems(value))).toBe(true);
    }),
  );
  expect(sendProblems({ v: 1, agent: 'a', prompt: 'x' })).toEqual([]);
  expect(sendProblems({ v: 1, agent: 'a', prompt: 'x', always: ['bash'] })).toEqual([
    'always: the session itself gives it to its turns',
  ]);
  expect(sessionInputProblems({ v: 1, earlier: { segments: [{ count: 1 }] } })).toEqual([
    'earlier.segments[0].bytes: is missing',
    'earlier.segments[0].inline: is missing',
    'earlier.count: is missing',
    'earlier.headId: is missing',
    'earlier.lastRole: is missing',
  ]);
});
