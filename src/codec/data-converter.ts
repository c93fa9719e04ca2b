import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { CompressionCodec } from './compression-codec.js';
import { EncryptionCodec } from './encryption-codec.js';
import { type EncryptionKey, KEYS_VARIABLE, Keyring } from './keyring.js';

export type CodecOptions = {
  /** The first encrypts, all decrypt; or the text `id1:base64,id2:base64`. */
  keys?: readonly EncryptionKey[] | string;
  /** Payloads of 4 KB and more, where that makes them smaller. */
  compress?: boolean;
};

/** `HOLDFAST_ENCRYPTION_KEYS` and `HOLDFAST_COMPRESS` (1 or true). */
export function codecFromEnvironment(env: NodeJS.ProcessEnv = process.env): CodecOptions {
  const keys = env[KEYS_VARIABLE]?.trim();
  const compress = env['HOLDFAST_COMPRESS'] ?? '';
  if (!['', '0', 'false', '1', 'true'].includes(compress)) {
    throw new TypeError(`HOLDFAST_COMPRESS is "${compress}". Set it to 1 or to 0.`);
  }
  return { ...(keys && { keys }), compress: compress === '1' || compress === 'true' };
}

/** The keys alone, for bytes that are kept elsewhere: see `sealBytes`. */
export function keyringOf(options: CodecOptions = codecFromEnvironment()): Keyring {
  return new Keyring(options.keys ?? []);
}

/**
 * For the `dataConverter` of a Temporal client or worker. It reads all that any Holdfast codec wrote, if it has the keys,
 * and what was written without one. Throws a TypeError for keys that can't be keys.
 */
export function dataConverter(options: CodecOptions = codecFromEnvironment()): DataConverter {
  const keyring = keyringOf(options);
  return {
    payloadCodecs: [new CompressionCodec(options.compress ?? false), new EncryptionCodec(keyring)],
    ...(keyring.current && { failureConverterPath: failureConverterPath() }),
  };
}

/** Whether messages of failures are encrypted, too: then the workflow bundle has to write them so. */
export function sealsFailures({ failureConverterPath: path }: DataConverter): boolean {
  return path !== undefined && path === failureConverterPath();
}

/** Temporal takes a path. From the sources, too, it is the one in dist. */
function failureConverterPath(): string {
  const places = ['./', '../codec/', '../../dist/codec/'];
  const paths = places.map((place) => fileURLToPath(new URL(`${place}sealed-failures.js`, import.meta.url)));
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error('The failure converter is missing: run `npm run build`.');
  return found;
}
