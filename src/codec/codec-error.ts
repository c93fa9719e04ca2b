export type CodecErrorType = 'Codec.UnknownKey' | 'Codec.Damaged' | 'Codec.TooLarge';

/**
 * Bytes that can't be read back; `name` says why. Where a worker can't read an activity's input, the SDK takes the name of the
 * error's class for the type of the failure: hence a class for each, with a dotted name.
 */
export abstract class CodecError extends Error {
  override readonly name: CodecErrorType;

  constructor(message: string) {
    super(message);
    this.name = new.target.name as CodecErrorType;
  }
}

export class UnknownKey extends CodecError {
  static override readonly name: CodecErrorType = 'Codec.UnknownKey';
}

export class Damaged extends CodecError {
  static override readonly name: CodecErrorType = 'Codec.Damaged';
}

export class TooLarge extends CodecError {
  static override readonly name: CodecErrorType = 'Codec.TooLarge';
}
