import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codecFromEnvironment, dataConverter } from '../../src/codec/data-converter.js';
import { Keyring, newEncryptionKey } from '../../src/codec/keyring.js';
import { openBytes, sealBytes } from '../../src/codec/seal.js';

const secret = randomBytes(32).toString('base64');

test.each([
  ['no id', secret, /entry 1 has no id/],
  ['an empty id', `:${secret}`, /id of entry 1 can't be one/],
  ['a second entry without an id', `a:${secret},${secret}`, /entry 2 has no id/],
  ['a trailing comma', `a:${secret},`, /entry 2 has no id/],
  ['an id with a space', `a b:${secret}`, /id of entry 1 can't be one/],
  ['an id that is too long', `${'a'.repeat(65)}:${secret}`, /id of entry 1 can't be one/],
  ['a key that is too short', `a:${randomBytes(16).toString('base64')}`, /"a" has 16 bytes and needs 32/],
  ['no base64', 'a:n*t base64', /"a" is not base64/],
  ['an empty key', 'a:', /"a" is not base64/],
  ['one id twice', `a:${secret},a:${randomBytes(32).toString('base64')}`, /"a" is there twice/],
])('keys with %s are refused by name', (_what, keys, message) => {
  expect(() => new Keyring(keys)).toThrow(TypeError);
  expect(() => new Keyring(keys)).toThrow(message);
});

test('no message about keys shows one', () => {
  const broken = fc.tuple(fc.constantFrom('', 'a:', 'a b:', 'x,'), fc.constantFrom('', '==', '*', 'AA'));
  fc.assert(
    fc.property(broken, ([before, after]) => {
      try {
        new Keyring(`${before}${secret}${after}`);
      } catch (error) {
        expect(String(error)).not.toContain(secret.slice(0, 10));
      }
    }),
  );
});

test('the environment names keys and compression, and nothing set means neither', () => {
  expect(codecFromEnvironment({})).toEqual({ compress: false });
  expect(codecFromEnvironment({ HOLDFAST_ENCRYPTION_KEYS: ' a:b ', HOLDFAST_COMPRESS: '1' })).toEqual({
    keys: 'a:b',
    compress: true,
  });
  expect(() => codecFromEnvironment({ HOLDFAST_COMPRESS: 'yes please' })).toThrow(/HOLDFAST_COMPRESS/);
});

test('messages of failures are encoded only where there is a key to encrypt them with', () => {
  expect(dataConverter({ keys: newEncryptionKey('a') }).failureConverterPath).toMatch(/sealed-failures/);
  expect(dataConverter({ compress: true }).failureConverterPath).toBeUndefined();
});

test('bytes outside Temporal are sealed with the same keys, and opened by any that knows the id', () => {
  const keyA = newEncryptionKey('a');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      const sealed = sealBytes(new Keyring(keyA), bytes);
      expect(Buffer.from(openBytes(new Keyring(`${newEncryptionKey('b')},${keyA}`), sealed))).toEqual(
        Buffer.from(bytes),
      );
    }),
    { numRuns: 50 },
  );
  const sealed = sealBytes(new Keyring(keyA), Buffer.from('artifact'));
  expect(Buffer.from(sealed).includes('artifact')).toBe(false);
  expect(() => openBytes(new Keyring([]), sealed)).toThrow(
    expect.objectContaining({ name: 'Codec.UnknownKey' }),
  );
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  expect(() => openBytes(new Keyring(keyA), changed)).toThrow(
    expect.objectContaining({ name: 'Codec.Damaged' }),
  );
});

test('bytes that nobody sealed are opened as they are', () => {
  const bytes = Buffer.from('plain');
  expect(openBytes(new Keyring(newEncryptionKey('a')), bytes)).toBe(bytes);
  expect(sealBytes(new Keyring([]), bytes)).toBe(bytes);
});
