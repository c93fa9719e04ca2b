import {
  InvalidInput,
  SessionClosed,
  SessionNotFound,
  TurnConflict,
  TurnNotFound,
} from '../client/errors.js';
import { ServerError } from '../server/server-error.js';
import { EXIT_FAILED, EXIT_USAGE } from './exit-codes.js';
import { ServerUnreachable, WorkerUnreachable } from './reach-server.js';
import { terminalOf } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Prints what went wrong; a stack only for what nobody foresaw. Returns the exit code. */
export function reportError(error: unknown): number {
  const { write, style } = terminalOf(process.stderr);
  if (error instanceof UsageError) {
    write(`${error.message}\n`);
    return EXIT_USAGE;
  }
  const foreseen =
    error instanceof ServerError ||
    error instanceof ServerUnreachable ||
    error instanceof WorkerUnreachable ||
    error instanceof TurnConflict ||
    error instanceof TurnNotFound ||
    error instanceof SessionNotFound ||
    error instanceof SessionClosed ||
    error instanceof InvalidInput ||
    // Keys that this process has not.
    (error instanceof Error && error.name.startsWith('Codec.'));
  const stack = error instanceof Error && !foreseen ? `\n${style.dim(error.stack ?? '')}` : '';
  write(`${style.red('Error:')} ${error instanceof Error ? error.message : String(error)}${stack}\n`);
  return EXIT_FAILED;
}
