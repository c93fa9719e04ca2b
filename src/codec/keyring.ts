import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { wireId } from '../shared/wire-text.js';
import { UnknownKey } from './codec-error.js';

const KEY_BYTES = 32;
const KEY_ID = /^[a-zA-Z0-9._-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Named where nobody says where the keys came from. */
export const KEYS_VARIABLE = 'HOLDFAST_ENCRYPTION_KEYS';

export type EncryptionKey = {
  /** Stored in plain text beside what the key encrypts. Letters, digits and . _ -, 64 at most. */
  id: string;
  /** 32 bytes. */
  key: Uint8Array;
};

/** A new random key, as {@link KEYS_VARIABLE} takes it: `id:base64`. */
export function newEncryptionKey(id: string): string {
  if (!KEY_ID.test(id)) throw badKeys(badId(JSON.stringify(id)));
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

/** Several keys by id: the first encrypts, all decrypt. */
export class Keyring {
  readonly #keys: ReadonlyMap<string, KeyObject>;

  /** Takes keys, or the text `id1:base64,id2:base64`. Throws a TypeError that names the entry and never shows a key. */
  constructor(keys: readonly EncryptionKey[] | string) {
    const entries = typeof keys === 'string' ? parsed(keys) : keys;
    const byId = new Map<string, KeyObject>();
    for (const { id, key } of entries) {
      if (!KEY_ID.test(id)) throw badKeys(badId(JSON.stringify(id)));
      if (byId.has(id)) throw badKeys(`the id "${id}" is there twice. Give each key an id of its own.`);
      if (key.byteLength !== KEY_BYTES) {
        throw badKeys(
          `the key "${id}" has ${key.byteLength} bytes and needs ${KEY_BYTES}. Make one with: holdfast keygen`,
        );
      }
      byId.set(id, createSecretKey(key));
    }
    this.#keys = byId;
  }

  /** The key that encrypts; undefined where there is none. */
  get current(): { id: string; key: KeyObject } | undefined {
    const [first] = this.#keys;
    return first && { id: first[0], key: first[1] };
  }

  /** Throws {@link UnknownKey}, which says what to set. */
  find(id: string): KeyObject {
    const key = this.#keys.get(id);
    if (key) return key;
    const ids = [...this.#keys.keys()].map((each) => `"${each}"`).join(', ');
    throw new UnknownKey(
      `This was encrypted with the key "${wireId(id)}", and this process has ${ids ? `only ${ids}` : 'no key'}. ` +
        `Add it to ${KEYS_VARIABLE}: "id:base64,...", the first one encrypts.`,
    );
  }
}

function parsed(text: string): EncryptionKey[] {
  return text.split(',').map((entry, index) => {
    const place = `entry ${index + 1}`;
    const colon = entry.indexOf(':');
    if (colon < 0) throw badKeys(`${place} has no id. Write it as id:base64.`);
    const id = entry.slice(0, colon).trim();
    const base64 = entry.slice(colon + 1).trim();
    if (!KEY_ID.test(id)) throw badKeys(badId(`of ${place}`));
    if (!BASE64.test(base64)) throw badKeys(`the key "${id}" is not base64. Make one with: holdfast keygen`);
    return { id, key: Buffer.from(base64, 'base64') };
  });
}

function badId(which: string): string {
  return `the id ${which} can't be one: use letters, digits and . _ -, 64 at most.`;
}

function badKeys(why: string): TypeError {
  return new TypeError(`Encryption keys (${KEYS_VARIABLE}): ${why}`);
}
