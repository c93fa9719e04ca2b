import fc from 'fast-check';

/** What a text may hold that some other program can't: halves of characters, NUL, controls, what turns text around. */
const hostileUnit = fc.oneof(
  fc.constantFrom(
    '\ud800',
    '\udfff',
    '\0',
    '\u001b',
    '\u0007',
    '\r\n',
    '\u2028',
    '\u202e',
    '\ufeff',
    '\uffff',
  ),
  fc.constantFrom(
    '😀',
    '👩‍👩‍👧',
    'é',
    'e\u0301',
    '漢',
    '\u{10ffff}',
    '"',
    '\\',
    '`|<b>',
    '$(x)',
    '%s',
    '{}',
    "';--",
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
);

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(hostileUnit, { maxLength: 12 }).map((units) => units.join('')) },
  // Long ones, so that a cut falls anywhere in a character.
  {
    weight: 3,
    arbitrary: fc
      .tuple(hostileUnit, fc.integer({ min: 50, max: 5000 }), hostileUnit)
      .map(([first, times, unit]) => first + unit.repeat(times)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '__proto__', 'constructor', 'default', '😀'.repeat(20_000)),
  },
);

const bad = 'bad \ud800';

/** Values that can't be shown, or only with a fight. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSet: true }),
  fc.constantFrom<unknown>(undefined, null, Symbol(bad), 10n, Number.NaN, () => bad, Object.create(null)),
  fc.constantFrom<unknown>(
    { toString: () => bad },
    { toString: () => ({}) },
    {
      toString() {
        throw new Error(bad);
      },
    },
    {
      [Symbol.toPrimitive]() {
        throw bad;
      },
    },
  ),
);
