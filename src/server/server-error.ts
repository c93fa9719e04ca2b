/** What went wrong with the embedded server, by what the reader can do about it. */
export type ServerErrorType =
  /** A setting (a port) can't be read. */
  | 'Server.BadSetting'
  /** Something that is no Temporal server listens on the port. */
  | 'Server.PortTaken'
  /** No Temporal program could be found or fetched. */
  | 'Server.NotFound'
  /** The program ran, and ended or stayed silent instead of answering. */
  | 'Server.FailedToStart'
  /** Our server already runs on these data, at another port than the one asked for. */
  | 'Server.DataInUse'
  /** Another process has been starting the server for too long. */
  | 'Server.StartTimedOut';

/** A source of the Temporal program that was tried, and why it gave none. */
export type FailedSource = { source: string; reason: string };

/** A fault of the embedded server. The message says what happened and what to do next. */
export class ServerError extends Error {
  readonly type: ServerErrorType;
  /** With `Server.NotFound`: every source that was tried, in order. Empty otherwise. */
  readonly tried: readonly FailedSource[];

  constructor(type: ServerErrorType, message: string, tried: readonly FailedSource[] = []) {
    super(message);
    this.name = 'ServerError';
    this.type = type;
    this.tried = tried;
  }
}
