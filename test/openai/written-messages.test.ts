import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WrittenList } from '../../src/activities/openai/written-list.js';
import { rememberedWriter } from '../../src/activities/openai/written-messages.js';
import type { Message } from '../../src/shared/messages.js';

const KB = 1024;
const message = (id: string): Message => ({ role: 'user', id, content: [] });

/** Messages that are written as lists of so many characters each. */
function writtenAs(sizes: readonly (readonly number[])[]) {
  return sizes.map((own, index) => {
    const items = own.map((size, at) => ({ id: `${index}.${at}`, text: 'ü'.repeat(size) }));
    return { message: message(String(index)), variant: '', write: () => items };
  });
}

describe('a message', () => {
  it('is written once, and anew where it is to be written another way', () => {
    const write = rememberedWriter<{ way: string }>();
    const one = message('m');
    let written = 0;
    const as = (variant: string) => {
      const item = () => {
        written += 1;
        return [{ way: variant }];
      };
      return String(write([{ message: one, variant, write: item }])[0]);
    };
    expect([as('a'), as('a'), as('b'), as('a')]).toEqual([
      '{"way":"a"}',
      '{"way":"a"}',
      '{"way":"b"}',
      '{"way":"a"}',
    ]);
    expect(written).toBe(3);
  });
});

describe('the messages of a turn', () => {
  it('are all there, in order, whatever of them is sent, and in how many pieces', () => {
    const size = fc.oneof(fc.integer({ max: 50, min: 0 }), fc.integer({ max: 90 * KB, min: 10 * KB }));
    const sizes = fc.array(fc.array(size, { maxLength: 2 }), { maxLength: 40 });
    const sent = fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { minLength: 2, maxLength: 5 });
    const property = fc.property(sizes, sent, (each, calls) => {
      const write = rememberedWriter<{ id: string }>();
      const all = writtenAs(each);
      for (const [from, to] of [...calls, [0, all.length]] as const) {
        // As where the oldest rounds are dropped: the first message stays.
        const some = [...all.slice(0, 1), ...all.slice(1).slice(from, to)];
        const bytes = Buffer.concat(new WrittenList(write(some)).bytes());
        expect(bytes.toString()).toBe(JSON.stringify(some.flatMap((one) => one.write())));
      }
    });
    fc.assert(property, { numRuns: 20 });
  });

  it('are the same bytes in memory, call after call', () => {
    const write = rememberedWriter<{ id: string }>();
    const all = writtenAs(Array.from({ length: 1000 }, () => [KB]));
    const first = write(all.slice(0, 900));
    const again = write(all);
    const sent = new Set(first.map(({ buffer }) => buffer));
    const anew = again.filter(({ buffer }) => !sent.has(buffer));
    expect(again.length).toBeLessThan(200);
    expect(Buffer.concat(anew).length).toBeLessThan(600 * KB);
  });
  it('are written anew where their bytes were taken away', () => {
    const write = rememberedWriter<{ id: string }>();
    const all = writtenAs(Array.from({ length: 200 }, () => [KB]));
    const text = () => Buffer.concat(new WrittenList(write(all)).bytes()).toString();
    const before = text();
    for (const { buffer } of write(all).filter(({ length }) => length > 64 * KB))
      structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
    expect(text()).toBe(before);
  });
});
