import { randomBytes } from 'node:crypto';
import { newEncryptionKey } from '../codec/keyring.js';
import { UsageError } from './usage-error.js';

/** `holdfast keygen`: `id:base64`, and nothing else, so that it can be assigned. */
export function keygenCommand(id: string = `k${randomBytes(3).toString('hex')}`): void {
  try {
    process.stdout.write(`${newEncryptionKey(id)}\n`);
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
