import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Keyring } from './keyring.js';
import { payloadMessage } from './payload-message.js';
import { damaged, seal, unseal } from './seal.js';

// The names that Temporal's samples use; `format` tells ours from theirs.
const ENCODING = 'binary/encrypted';
const FORMAT = 'holdfast/1';

/** Whole payloads, their metadata too, under AES-256-GCM. Those that this codec did not write pass as they are. */
export class EncryptionCodec implements PayloadCodec {
  readonly #keyring: Keyring;

  /** With an empty keyring it encrypts nothing, and says of what is encrypted which key is missing. */
  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const { current } = this.#keyring;
    if (!current) return payloads;
    const PayloadMessage = await payloadMessage();
    return payloads.map((payload) => ({
      metadata: {
        encoding: Buffer.from(ENCODING),
        'encryption-format': Buffer.from(FORMAT),
        'encryption-key-id': Buffer.from(current.id),
      },
      data: seal(current.key, contextOf(current.id), PayloadMessage.encode(payload).finish()),
    }));
  }

  /** Throws a CodecError: `Codec.UnknownKey` or `Codec.Damaged`. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    if (!payloads.some(isOurs)) return payloads;
    const PayloadMessage = await payloadMessage();
    return payloads.map((payload) => {
      if (!isOurs(payload)) return payload;
      const id = textOf(payload, 'encryption-key-id');
      const plain = unseal(this.#keyring.find(id), contextOf(id), payload.data ?? new Uint8Array());
      if (!plain) throw damaged(id);
      return PayloadMessage.decode(plain);
    });
  }
}

function isOurs(payload: Payload): boolean {
  return textOf(payload, 'encoding') === ENCODING && textOf(payload, 'encryption-format') === FORMAT;
}

function contextOf(keyId: string): string {
  return [ENCODING, FORMAT, keyId].join('\0');
}

function textOf({ metadata }: Payload, name: string): string {
  return Buffer.from(metadata?.[name] ?? []).toString();
}
