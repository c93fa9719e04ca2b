export type CodecErrorType = 'Codec.UnknownKey' | 'Codec.Damaged' | 'Codec.TooLarge';

/** Bytes that can't be read back. The name is dotted since Temporal takes it for the failure's type. */
export class CodecError extends Error {
  override readonly name: CodecErrorType;

  constructor(type: CodecErrorType, message: string) {
    super(message);
    this.name = type;
  }
}
