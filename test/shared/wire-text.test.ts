import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  errorText,
  WIRE_ID_BYTES,
  WIRE_TEXT_BYTES,
  wireId,
  wireLine,
  wireText,
} from '../../src/shared/wire-text.js';
import { hostileText, hostileValue } from './hostile.js';

const anyBytes = fc.nat(300);
const MARK = '…';

describe.each([
  { name: 'wireText', make: wireText, maxBytes: WIRE_TEXT_BYTES },
  { name: 'wireId', make: wireId, maxBytes: WIRE_ID_BYTES },
  { name: 'wireLine', make: wireLine, maxBytes: WIRE_ID_BYTES },
])('$name', ({ make, maxBytes }) => {
  test('makes well-formed Unicode without NUL of any value', () => {
    fc.assert(
      fc.property(hostileValue, (value) => {
        expect(make(value).isWellFormed()).toBe(true);
        expect(make(value)).not.toContain('\0');
      }),
    );
  });

  test('is bounded in bytes of UTF-8', () => {
    fc.assert(
      fc.property(hostileValue, (value) => {
        expect(Buffer.byteLength(make(value))).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostileValue, (value) => {
        expect(make(make(value))).toBe(make(value));
      }),
    );
  });
});

describe.each([
  { name: 'wireText', make: wireText },
  { name: 'wireLine', make: wireLine },
])('$name with a bound of its own', ({ make }) => {
  test('keeps to it, however small it is', () => {
    fc.assert(
      fc.property(hostileText, anyBytes, (text, maxBytes) => {
        expect(Buffer.byteLength(make(text, maxBytes))).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostileText, anyBytes, (text, maxBytes) => {
        const once = make(text, maxBytes);
        expect(make(once, maxBytes)).toBe(once);
      }),
    );
  });

  test('cuts at the end only, marks the cut, and cuts no more than it must', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 3, max: 300 }), (text, maxBytes) => {
        const whole = make(text, Number.POSITIVE_INFINITY);
        const cut = make(text, maxBytes);
        fc.pre(Buffer.byteLength(whole) > maxBytes);
        expect(cut.endsWith(MARK)).toBe(true);
        expect(whole.startsWith(cut.slice(0, -MARK.length))).toBe(true);
        expect(Buffer.byteLength(cut)).toBeGreaterThan(maxBytes - 4);
      }),
    );
  });
});

test('wireText leaves a text that fits as it is', () => {
  const fit = fc.string({ unit: 'binary', maxLength: 500 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fit, (text) => {
      expect(wireText(text, Buffer.byteLength(text))).toBe(text);
    }),
  );
});

test('wireText puts a replacement character for a half of a character and for NUL', () => {
  expect(wireText('a\ud83db\0c')).toBe('a\ufffdb\ufffdc');
});

test('wireText cuts no emoji in two', () => {
  const cuts = Array.from({ length: 12 }, (_, bytes) => wireText('😀😀😀', bytes));
  expect(cuts.slice(3)).toEqual(['…', '…', '…', '…', '😀…', '😀…', '😀…', '😀…', '😀😀…']);
});

test('wireText bounds a text of 30 MB', () => {
  expect(Buffer.byteLength(wireText('漢\ud800'.repeat(5_000_000)))).toBeLessThanOrEqual(WIRE_TEXT_BYTES);
});

test('wireId is one line without control characters, and never empty', () => {
  fc.assert(
    fc.property(hostileValue, (value) => {
      expect(wireId(value)).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u);
    }),
  );
});

test('wireLine is one line without control characters, and has no space at its ends', () => {
  fc.assert(
    fc.property(hostileValue, (value) => {
      expect(wireLine(value)).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u);
      expect(wireLine(value)).toBe(wireLine(value).trim());
    }),
  );
});

describe('errorText', () => {
  test('is the message of an error', () => {
    expect(errorText(new TypeError('no such order'))).toBe('no such order');
  });

  test('is the name of an error without a message, so that it is never empty', () => {
    expect(errorText(new TypeError())).toBe('TypeError');
  });

  test('is the text of what is no error', () => {
    expect(errorText('no such order')).toBe('no such order');
  });

  test('is found for what refuses to be looked at', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('gone'), {});
    revoke();
    expect(errorText(proxy)).toBe('[a value that cannot be shown as text]');
  });

  test('never throws, is never empty, well-formed and bounded, whatever was thrown', () => {
    const throwing = fc.constant(
      Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('bad \ud800');
        },
      }),
    );
    const withMessage = hostileValue.map((message) => Object.assign(new Error(), { message }));
    fc.assert(
      fc.property(fc.oneof(throwing, withMessage, hostileValue), (thrown) => {
        const text = errorText(thrown);
        expect(text).not.toBe('');
        expect(text).toBe(wireText(text));
      }),
    );
  });
});
