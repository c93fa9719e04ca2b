import type { McpServer } from '../define/mcp-server.js';
import { errorText, wireText } from '../shared/wire-text.js';

/**
 * What a failed request says of its effects: `not_begun` (the server never had it), `lost` (it may have: the connection
 * went while it ran), `late` (no answer in time), `answered` (the server itself says that it failed).
 */
export type McpFault = 'not_begun' | 'lost' | 'late' | 'answered';

/** The server can't be reached; nothing was run. The text says why and what to do. */
export class McpUnavailable extends Error {
  override readonly name = 'McpUnavailable';
  /** Waiting does not help: somebody has to change something. */
  readonly isLasting: boolean;
  /** Of one that a turn can't begin without: so long it is tried. */
  readonly maxWaitMs: number | undefined;

  constructor(text: string, isLasting = false, maxWaitMs?: number) {
    super(text);
    this.isLasting = isLasting;
    this.maxWaitMs = maxWaitMs;
  }
}

const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/** A program that has ended: half a line that it may have read before is no request. */
const NO_READER = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);
const CONNECTION_CLOSED = -32_000;
const REQUEST_TIMEOUT = -32_001;
/** Some servers answer with a whole page. */
const MAX_TEXT_BYTES = 1000;
const SESSION_GONE = [404, 410];
const GATEWAY_FAULTS = [500, 502, 504];

/** `isOpen`: whether the connection is still there. */
export function faultOf(error: unknown, isOpen: boolean): McpFault {
  const code = codeOf(error);
  if (hasNoReader(error)) return 'not_begun';
  // Servers use these codes for errors of their own, too.
  if (code === REQUEST_TIMEOUT) return isOwnTimeout(error) ? 'late' : 'answered';
  if (code === CONNECTION_CLOSED) return isOpen ? 'answered' : 'lost';
  if (isHttpError(error)) {
    // Not an HTTP status: an answer that is no MCP at all.
    if (typeof code !== 'number' || code < 400) return 'lost';
    return GATEWAY_FAULTS.includes(code) ? 'lost' : 'not_begun';
  }
  if (isOfProtocol(error)) return 'answered';
  const reason = codeOf(error instanceof Error ? error.cause : undefined) ?? code;
  return typeof reason === 'string' && NEVER_SENT.has(reason) ? 'not_begun' : 'lost';
}

/** A server that was restarted does not know the session any more: another one helps. */
export function isWorthReconnecting(error: unknown, isOpen: boolean): boolean {
  if (!isOpen || hasNoReader(error)) return true;
  const code = codeOf(error);
  // Servers differ in what they say of a session that they don't know.
  return isHttpError(error) && (code === 400 || SESSION_GONE.includes(Number(code)));
}

/** The server is there, and does not let us in. */
export function isRefused(error: unknown): boolean {
  return isHttpError(error) && [401, 403].includes(Number(codeOf(error)));
}

/** One sentence or two, without what is secret in the server's own settings. */
export function faultText(error: unknown, server: McpServer): string {
  const code = codeOf(error);
  if (isRefused(error)) return refusedText(Number(code), server);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const text = `${errorText(error).replace(/^MCP error -?\d+: /, '')}${cause}`;
  return wireText(withoutSecrets(text, server), MAX_TEXT_BYTES);
}

function refusedText(code: number, { where }: McpServer): string {
  const token = 'tokenEnv' in where && where.tokenEnv ? `the token in ${where.tokenEnv}` : 'its headers';
  return `it refused the request (HTTP ${code}): check ${token}`;
}

/** A server may print what it was given. */
export function withoutSecrets(text: string, { where }: McpServer): string {
  const values =
    'command' in where
      ? Object.values(where.env ?? {})
      : [...Object.values(where.headers ?? {}), (where.tokenEnv && process.env[where.tokenEnv]) || ''];
  return values
    .filter((value) => value.length >= 6)
    .reduce((clean, value) => clean.replaceAll(value, '***'), text);
}

/** Ours says after how long it gave up. */
function isOwnTimeout(error: unknown): boolean {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  return typeof data === 'object' && data !== null && ('timeout' in data || 'maxTotalTimeout' in data);
}

function hasNoReader(error: unknown): boolean {
  if (error instanceof Error && error.message === 'Not connected') return true;
  return NO_READER.has(String(codeOf(error)));
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

// By name: the SDK is loaded late, and these must not load it.
function isHttpError(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'StreamableHTTPError';
}

function isOfProtocol(error: unknown): boolean {
  return error instanceof Error && error.name === 'McpError';
}
