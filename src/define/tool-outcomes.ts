/** What a tool returns whose result is one, images and all, and tells of an error. */
export class ErrorResult {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Thrown by a tool that can't tell whether it took effect, and must not be run again. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}
