import { DefaultFailureConverter } from '@temporalio/common';

type Convert = DefaultFailureConverter['errorToFailure'];

/**
 * Messages and stacks of failures as payloads, so that codecs see them. The SDK's own converter does this to the very
 * failure that an error came from: converted a second time, its message would be "Encoded failure" (SDK 1.24).
 */
class SealedFailureConverter extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  override errorToFailureInner(...args: Parameters<Convert>): ReturnType<Convert> {
    return { ...super.errorToFailureInner(...args) };
  }
}

/** Temporal loads this file by its path, and looks for this name. */
export const failureConverter: DefaultFailureConverter = new SealedFailureConverter();
