import type { ExceededBudget } from '../shared/limits.js';
import type { TurnOutcome } from '../shared/turn.js';

/** The turn ended, but not with an outcome: a fault outlived its retries, or Temporal ended it from outside. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed';
  /** As Temporal names it. */
  readonly status: 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT';
  /** The dotted type of the fault, such as `Model.Authentication`; see docs/errors.md. */
  readonly type: string;
  /** What the turn had done by then, where it could still tell. */
  readonly outcome: TurnOutcome | undefined;

  constructor(
    status: TurnFailed['status'],
    type: string,
    text: string,
    outcome: TurnOutcome | undefined,
    cause: unknown,
  ) {
    super(text, { cause });
    this.status = status;
    this.type = type;
    this.outcome = outcome;
  }
}

/** What a caller gave is not what it can be; the message says what can. */
export class InvalidInput extends TypeError {
  override readonly name = 'TypeError';
}

/** A turn of that id was started before, with another agent or another prompt. */
export class TurnConflict extends Error {
  override readonly name = 'TurnConflict';
}

/** Temporal knows no turn of that id: it never was, or its retention is over. */
export class TurnNotFound extends Error {
  override readonly name = 'TurnNotFound';
}

/** Temporal knows no session of that id: nothing was sent to it yet, or it has ended and its retention is over. */
export class SessionNotFound extends Error {
  override readonly name = 'SessionNotFound';
}

/** The session has ended: it was closed, canceled or terminated. */
export class SessionClosed extends Error {
  override readonly name = 'SessionClosed';
}

/** The session has used up one of its limits, and takes no message before that is raised. */
export class SessionLimitReached extends Error {
  override readonly name = 'SessionLimitReached';
  readonly exceeded: ExceededBudget;

  constructor(text: string, exceeded: ExceededBudget) {
    super(text);
    this.exceeded = exceeded;
  }
}
