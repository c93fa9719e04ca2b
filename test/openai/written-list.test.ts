import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  rememberedWriter,
  WrittenList,
  writtenBody,
  writtenItems,
} from '../../src/activities/openai/written-list.js';
import type { Message } from '../../src/shared/messages.js';

const values = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());

describe('a body that is put together from written parts', () => {
  it('is the JSON of the same object, whatever is in it', () => {
    fc.assert(
      fc.property(values, fc.array(fc.array(values, { maxLength: 3 })), (fields, parts) => {
        const list = new WrittenList(parts.map((items) => writtenItems(items)));
        const written = writtenBody({ before: 1, list, ...fields });
        const plain = { before: 1, list: parts.flat(), ...fields };
        expect(JSON.parse(written.toString('utf8'))).toEqual(JSON.parse(JSON.stringify(plain)));
      }),
    );
  });

  it('leaves out what JSON has no value for', () => {
    expect(writtenBody({ none: undefined, run: () => 1, all: null }).toString()).toBe('{"all":null}');
  });

  it('begins with what is given first', () => {
    const body = { model: 'm', messages: new WrittenList([]), stream: true };
    expect(writtenBody(body).toString()).toBe('{"model":"m","messages":[],"stream":true}');
  });
});

describe('a message', () => {
  it('is written once, and anew where it is to be written another way', () => {
    const write = rememberedWriter<{ way: string }>();
    const message: Message = { role: 'user', id: 'm', content: [] };
    let written = 0;
    const as = (variant: string) => {
      const item = () => {
        written += 1;
        return [{ way: variant }];
      };
      return String(write([{ message, variant, write: item }])[0]);
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
