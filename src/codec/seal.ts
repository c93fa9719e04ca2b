import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { Damaged } from './codec-error.js';
import type { Keyring } from './keyring.js';

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const FILE_MAGIC = Buffer.from('HFS1');

/**
 * `salt | nonce | ciphertext | tag`: AES-256-GCM under a key of its own, HMAC-SHA256(key, salt). With one key for all, random
 * nonces are safe for 2^32 messages (NIST SP 800-38D), which a fleet of streaming turns sends within weeks.
 * `context` is authenticated and not stored.
 */
export function seal(key: KeyObject, context: string | Buffer, plain: Uint8Array): Buffer {
  const random = randomBytes(SALT_BYTES + NONCE_BYTES);
  const nonce = random.subarray(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, messageKey(key, random.subarray(0, SALT_BYTES)), nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([random, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined where a bit of it, of the context or of the key is another one. */
export function unseal(key: KeyObject, context: string | Buffer, sealed: Uint8Array): Buffer | undefined {
  if (sealed.byteLength < SALT_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
  const body = sealed.subarray(SALT_BYTES + NONCE_BYTES, -TAG_BYTES);
  const nonce = sealed.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const derived = messageKey(key, sealed.subarray(0, SALT_BYTES));
  const decipher = createDecipheriv(CIPHER, derived, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}

function messageKey(key: KeyObject, salt: Uint8Array): Buffer {
  return createHmac('sha256', key).update('holdfast message key 1').update(salt).digest();
}

/** For bytes that are kept outside Temporal, such as artifacts. Without a key they stay as they are. */
export function sealBytes(keyring: Keyring, plain: Uint8Array): Uint8Array {
  const { current } = keyring;
  if (!current) return plain;
  const id = Buffer.from(current.id);
  const head = Buffer.concat([FILE_MAGIC, Buffer.from([id.byteLength]), id]);
  return Buffer.concat([head, seal(current.key, head, plain)]);
}

/** Whether bytes that begin so were encrypted by {@link sealBytes}. */
export function isSealed(head: Uint8Array): boolean {
  return FILE_MAGIC.equals(head.subarray(0, FILE_MAGIC.byteLength));
}

/** What {@link sealBytes} was given; bytes that it never saw come back as they are. Throws a `CodecError`. */
export function openBytes(keyring: Keyring, stored: Uint8Array): Uint8Array {
  if (!isSealed(stored)) return stored;
  const headBytes = FILE_MAGIC.byteLength + 1 + (stored[FILE_MAGIC.byteLength] ?? 0);
  const head = Buffer.from(stored.subarray(0, headBytes));
  const id = head.toString('utf8', FILE_MAGIC.byteLength + 1);
  const plain = unseal(keyring.find(id), head, stored.subarray(headBytes));
  if (!plain) throw damaged(id);
  return plain;
}

export function damaged(keyId: string): Damaged {
  return new Damaged(
    `What was encrypted with the key "${keyId}" can't be decrypted: it was changed, or this process has another key of that id.`,
  );
}
