import type { Client } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { isNotFound } from '../client/not-found.js';
import { UsageError } from './usage-error.js';

const CONNECT_MS = 5000;
/** gRPC's code. */
const UNAVAILABLE = 14;

/** No Temporal server could be reached. The message says where, and what to do. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
}

/** No worker answers that would have to. The message says how to start one. */
export class WorkerUnreachable extends Error {
  override readonly name = 'WorkerUnreachable';
}

function unreachable(address: string, why: string): ServerUnreachable {
  return new ServerUnreachable(`No Temporal server answers at ${address} (${why}).\n${whatToDo(address)}`);
}

function whatToDo(address: string): string {
  const { env } = process;
  const secure = Object.keys(env).find(
    (name) => /^TEMPORAL_(?:API_KEY|TLS)/.test(name) && !['', '0', 'false'].includes(env[name] ?? ''),
  );
  const tls =
    secure === undefined ? '' : `${secure} is set, so it is asked for TLS: unset that for a server without. `;
  return env['TEMPORAL_ADDRESS'] === address
    ? `${tls}TEMPORAL_ADDRESS names it: start that server, correct the address, or unset it, and Holdfast uses a server of its own.`
    : `${tls}See what became of it with: holdfast server status`;
}

/** What to throw for an error that came while a turn ran: of an outage, how to go on; else the error itself. */
export function duringTurn(error: unknown, address: string, turnId: string): unknown {
  if (!isOutage(error)) return error;
  return new ServerUnreachable(
    `The Temporal server at ${address} no longer answers. What it recorded of the turn is kept: once it runs again, ` +
      `go on with the same command and --turn-id ${turnId}`,
  );
}

/** The server is there, and has not the namespace that was named. */
function noNamespace(name: string): UsageError {
  return new UsageError(
    `The server has no namespace "${name}".\n` +
      `Correct TEMPORAL_NAMESPACE, or make it: temporal operator namespace create --namespace ${name}`,
  );
}

/** Throws a UsageError where the server has not the client's namespace; what else a worker lacks, that says itself. */
export async function checkNamespace({ workflowService, options }: Client): Promise<void> {
  const { namespace } = options;
  try {
    await workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (isNotFound(error)) throw noNamespace(namespace);
  }
}

/** The same for a command that looks at turns, and can be given again. */
export function whileLooking(error: unknown, address: string): unknown {
  if (error instanceof NamespaceNotFoundError) return noNamespace(error.namespace);
  return isOutage(error) ? unreachable(address, 'it went away') : error;
}

function isOutage(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : [];
  return causes.some((each) => each instanceof Error && 'code' in each && each.code === UNAVAILABLE);
}

/** What `connect` gives, within five seconds. Throws {@link ServerUnreachable} where it fails or takes longer. */
export async function reach<Connected>(
  address: string,
  connect: () => Promise<Connected>,
): Promise<Connected> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const late = () => reject(unreachable(address, `not within ${CONNECT_MS / 1000} s`));
    timer = setTimeout(late, CONNECT_MS);
  });
  try {
    return await Promise.race([connect(), deadline]);
  } catch (error) {
    if (error instanceof ServerUnreachable) throw error;
    throw unreachable(address, reason(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Rust's own words hold the system's: `Os { code: 111, kind: ConnectionRefused, message: "Connection refused" }`. */
function reason(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return reason(error.cause);
  const message = error instanceof Error ? error.message : String(error);
  return /Os \{.*message: "([^"]+)"/.exec(message)?.[1]?.toLowerCase() ?? message;
}
