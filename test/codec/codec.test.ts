import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CodecOptions, dataConverter } from '../../src/codec/data-converter.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const keyA = newEncryptionKey('a');
const keyB = newEncryptionKey('b');

const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value) as Payload;
const readValue = (payload: Payload | undefined) => defaultPayloadConverter.fromPayload(payload as Payload);
const codecs = (options: CodecOptions) => dataConverter(options).payloadCodecs ?? [];
const bytesOf = (payload: Payload | undefined) =>
  Buffer.from(proto.temporal.api.common.v1.Payload.encode(payload as Payload).finish());
const text = (payload: Payload | undefined, name: string) =>
  Buffer.from(payload?.metadata?.[name] ?? []).toString();

/** As the SDK does it: encoded by one after the other, decoded in the opposite order. */
async function encode(all: PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let encoded = payloads;
  for (const codec of all) encoded = await codec.encode(encoded);
  return encoded;
}

async function decode(all: PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of all.toReversed()) decoded = await codec.decode(decoded);
  return decoded;
}

async function encodeOne(options: CodecOptions, value: unknown): Promise<Payload> {
  const [payload] = await encode(codecs(options), [payloadOf(value)]);
  return payload as Payload;
}

async function decodeOne(options: CodecOptions, payload: Payload): Promise<unknown> {
  const [decoded] = await decode(codecs(options), [payload]);
  return readValue(decoded);
}

const settings: [string, CodecOptions][] = [
  ['encrypted', { keys: keyA }],
  ['compressed', { compress: true }],
  ['compressed and encrypted', { keys: keyA, compress: true }],
  ['neither', {}],
];

describe.each(settings)('payloads, %s', (_name, options) => {
  test('come back as they were', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.uint8Array({ maxLength: 20_000 }),
      fc.constant(undefined),
      fc.tuple(fc.string(), fc.nat(3000)).map(([part, count]) => part.repeat(count)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 4 }), async (values) => {
        const plain = values.map(payloadOf);
        const decoded = await decode(codecs(options), await encode(codecs(options), plain));
        expect(decoded.map(bytesOf)).toEqual(plain.map(bytesOf));
      }),
      { numRuns: 60 },
    );
  });

  test('that were written without a codec are read as they are', async () => {
    const plain = [payloadOf({ a: 1 }), payloadOf(undefined), payloadOf(randomBytes(5000))];
    expect(await decode(codecs(options), plain)).toEqual(plain);
  });
});

test('an encrypted payload shows nothing but its key id', async () => {
  const payload = await encodeOne({ keys: `${keyB},${keyA}` }, 'needle');
  expect(bytesOf(payload).includes('needle')).toBe(false);
  expect(text(payload, 'encoding')).toBe('binary/encrypted');
  expect(text(payload, 'encryption-key-id')).toBe('b');
});

test('the same value is never encrypted to the same bytes twice', async () => {
  const encrypted = await Promise.all(Array.from({ length: 50 }, () => encodeOne({ keys: keyA }, 'same')));
  expect(new Set(encrypted.map((each) => bytesOf(each).toString('hex'))).size).toBe(50);
});

test('the first key encrypts, and what an earlier one encrypted is still read', async () => {
  const before = await encodeOne({ keys: keyA }, 'old');
  const after = await encodeOne({ keys: `${keyB},${keyA}` }, 'new');
  expect(await decodeOne({ keys: `${keyB},${keyA}` }, before)).toBe('old');
  expect(await decodeOne({ keys: `${keyA},${keyB}` }, after)).toBe('new');
});

test('a missing key is named, with what to set', async () => {
  const payload = await encodeOne({ keys: keyA }, 'secret');
  await expect(decodeOne({ keys: keyB }, payload)).rejects.toMatchObject({
    name: 'Codec.UnknownKey',
    message: expect.stringMatching(/key "a".*only "b".*HOLDFAST_ENCRYPTION_KEYS/),
  });
  await expect(decodeOne({}, payload)).rejects.toMatchObject({
    name: 'Codec.UnknownKey',
    message: expect.stringContaining('this process has no key'),
  });
});

test('another key of the same id is told apart from the right one', async () => {
  const payload = await encodeOne({ keys: keyA }, 'secret');
  const stranger = { keys: newEncryptionKey('a') };
  await expect(decodeOne(stranger, payload)).rejects.toMatchObject({ name: 'Codec.Damaged' });
});

test('no bit of an encrypted payload can be changed unnoticed', async () => {
  const payload = await encodeOne({ keys: keyA }, { some: 'value' });
  const data = payload.data ?? new Uint8Array();
  const damages = fc.tuple(fc.nat(data.length - 1), fc.nat(7));
  await fc.assert(
    fc.asyncProperty(damages, async ([index, bit]) => {
      const changed = Buffer.from(data);
      changed[index] = (changed[index] ?? 0) ^ (1 << bit);
      const damaged = decodeOne({ keys: keyA }, { ...payload, data: changed });
      await expect(damaged).rejects.toMatchObject({ name: 'Codec.Damaged' });
    }),
  );
  for (const length of [0, 10, 43, data.length - 1]) {
    const cut = decodeOne({ keys: keyA }, { ...payload, data: data.subarray(0, length) });
    await expect(cut).rejects.toMatchObject({ name: 'Codec.Damaged' });
  }
});

test('the key id is authenticated: renaming it is noticed even where both names mean one key', async () => {
  const [, base64] = keyA.split(':');
  const payload = await encodeOne({ keys: `a:${base64}` }, 'secret');
  const renamed = { ...payload, metadata: { ...payload.metadata, 'encryption-key-id': Buffer.from('z') } };
  await expect(decodeOne({ keys: `z:${base64}` }, renamed)).rejects.toMatchObject({ name: 'Codec.Damaged' });
});

test('large payloads get smaller; small ones and those that would grow stay as they are', async () => {
  const large = await encodeOne({ compress: true }, 'word '.repeat(5000));
  expect(bytesOf(large).length).toBeLessThan(1000);
  const small = await encodeOne({ compress: true }, 'word '.repeat(100));
  expect(text(small, 'encoding')).toBe('json/plain');
  const random = await encodeOne({ compress: true }, randomBytes(50_000));
  expect(text(random, 'encoding')).toBe('binary/plain');
});

test('a payload that would decompress to gigabytes is refused, and so is a damaged one', async () => {
  const metadata = {
    encoding: Buffer.from('binary/brotli'),
    'compression-format': Buffer.from('holdfast/1'),
  };
  const bomb = { metadata, data: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), FAST) };
  expect(bomb.data.length).toBeLessThan(1000);
  await expect(decodeOne({}, bomb)).rejects.toMatchObject({ name: 'Codec.TooLarge' });
  await expect(decodeOne({}, { metadata, data: randomBytes(100) })).rejects.toMatchObject({
    name: 'Codec.Damaged',
  });
});

test("another codec's encrypted payloads are left to it", async () => {
  const theirs = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: randomBytes(64) };
  expect(await decode(codecs({ keys: keyA }), [theirs])).toEqual([theirs]);
});
