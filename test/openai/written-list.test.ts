import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WrittenList, writtenBody, writtenItems } from '../../src/activities/openai/written-list.js';

const textOf = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString('utf8');
const values = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());

describe('a body that is put together from written parts', () => {
  it('is the JSON of the same object, whatever is in it', () => {
    fc.assert(
      fc.property(values, fc.array(fc.array(values, { maxLength: 3 })), (fields, parts) => {
        const list = new WrittenList(parts.map((items) => writtenItems(items)));
        const written = writtenBody({ before: 1, list, ...fields });
        const plain = { before: 1, list: parts.flat(), ...fields };
        expect(JSON.parse(textOf(written))).toEqual(JSON.parse(JSON.stringify(plain)));
      }),
    );
  });

  it('leaves out what JSON has no value for', () => {
    expect(textOf(writtenBody({ none: undefined, run: () => 1, all: null }))).toBe('{"all":null}');
  });

  it('begins with what is given first', () => {
    const body = { model: 'm', messages: new WrittenList([]), stream: true };
    expect(textOf(writtenBody(body))).toBe('{"model":"m","messages":[],"stream":true}');
  });
});
