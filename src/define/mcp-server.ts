import { type Duration, durationMs } from '../shared/duration.js';
import type { ToolAnnotations } from '../shared/mcp.js';
import { namesOf, requireKnown } from './known-options.js';

/** A server that is a program, spoken to over its standard input and output. */
export type McpCommand = {
  /** A program on PATH, or its path. */
  command: string;
  args?: readonly string[];
  /** Given to it beside HOME, LANG, LC_ALL, LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ and USER, the only ones that it inherits. */
  env?: Readonly<Record<string, string>>;
  /** Default: the worker's. */
  cwd?: string;
  /** Folders that the server is told it may work in. */
  roots?: readonly string[];
};

/** A server at an address that speaks streamable HTTP. */
export type McpAddress = {
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The environment variable that holds the token to send as `Authorization: Bearer`, read at each connection. */
  tokenEnv?: string;
  roots?: readonly string[];
};

export type McpToolInfo = { name: string; description: string; annotations: ToolAnnotations };

export type McpOptions = {
  /**
   * Which of its tools the agent has, by the server's own names: `*` stands for any characters, and a name after `!` is
   * left out. Or a function that says so. Default: all.
   */
  tools?: readonly string[] | ((tool: McpToolInfo) => boolean);
  /** For one call, from the server's last sign of life; default 1 minute. */
  timeout?: Duration;
  /** For one call, whatever signs of life there are; default 10 minutes. */
  maxTimeout?: Duration;
  /** From its start until it answers; default 30 seconds. */
  connectTimeout?: Duration;
  /** For all tries together in a turn's first model call, of which it makes three at least; default 1 minute. */
  maxConnectTimeout?: Duration;
  /** A turn begins without its tools where it can't be reached. Default false: then the turn waits, and fails. */
  optional?: boolean;
  /** Whether what the server says of its tools counts: that one is read-only or idempotent, so that it may run again. Default true. */
  trustAnnotations?: boolean;
};

/** An MCP server for an agent's `tools`. Made by {@link mcpServer}; a worker connects to it when it is first needed. */
export type McpServer = {
  readonly kind: 'mcp_server';
  readonly name: string;
  readonly where: McpCommand | McpAddress;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxConnectTimeoutMs: number;
  readonly optional: boolean;
  readonly trustAnnotations: boolean;
  hasTool(tool: McpToolInfo): boolean;
};

const COMMAND = namesOf<McpCommand>({ command: true, args: true, env: true, cwd: true, roots: true });
const ADDRESS = namesOf<McpAddress>({ url: true, headers: true, tokenEnv: true, roots: true });
const OPTIONS = namesOf<McpOptions>({
  tools: true,
  timeout: true,
  maxTimeout: true,
  connectTimeout: true,
  maxConnectTimeout: true,
  optional: true,
  trustAnnotations: true,
});

/** Where `__` stands for the border between a server's name and a tool's, it is one. */
const SERVER_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]|_(?=[a-zA-Z0-9-])){0,31}$/;

/**
 * Makes a server for an agent's `tools`. Its tools are named `<name>__<tool>`. Throws a TypeError or RangeError that
 * names the server and the fault.
 */
export function mcpServer(name: string, where: McpCommand | McpAddress, options: McpOptions = {}): McpServer {
  if (!SERVER_NAME.test(name)) {
    throw new TypeError(
      `MCP server name ${JSON.stringify(name)}: use letters, digits, - and single _ between them, 32 at most.`,
    );
  }
  const what = `MCP server ${name}`;
  requirePlace(what, where);
  requireKnown(what, options, OPTIONS, "{ timeout: '2 minutes' }");
  const timeoutMs = durationMs(`${what}, timeout`, options.timeout ?? '1 minute');
  const maxTimeoutMs = durationMs(
    `${what}, maxTimeout`,
    options.maxTimeout ?? Math.max(timeoutMs, 10 * 60_000),
  );
  if (maxTimeoutMs < timeoutMs) throw new RangeError(`${what}: its maxTimeout is shorter than its timeout.`);
  const connectTimeoutMs = durationMs(`${what}, connectTimeout`, options.connectTimeout ?? '30 seconds');
  const maxConnectTimeoutMs = durationMs(
    `${what}, maxConnectTimeout`,
    options.maxConnectTimeout ?? Math.max(connectTimeoutMs, 60_000),
  );
  if (maxConnectTimeoutMs < connectTimeoutMs)
    throw new RangeError(`${what}: its maxConnectTimeout is shorter than its connectTimeout.`);
  return {
    kind: 'mcp_server',
    name,
    where,
    timeoutMs,
    maxTimeoutMs,
    connectTimeoutMs,
    maxConnectTimeoutMs,
    optional: options.optional ?? false,
    trustAnnotations: options.trustAnnotations ?? true,
    hasTool: filterOf(what, options.tools),
  };
}

function requirePlace(what: string, where: McpCommand | McpAddress): void {
  if ('command' in where && 'url' in where)
    throw new TypeError(`${what} has a command and a url. Give one of them.`);
  if ('command' in where) {
    if (typeof where.command !== 'string' || where.command.trim() === '')
      throw new TypeError(`${what}: its command is empty. Give the program that starts it.`);
    requireKnown(what, where, COMMAND, "{ command: 'npx', args: ['some-server'] }");
    return;
  }
  if (!('url' in where)) throw new TypeError(`${what}: give it a command, or a url.`);
  requireKnown(what, where, ADDRESS, "{ url: 'https://example.com/mcp' }");
  requireAddress(what, where);
}

/** Says what is wrong without the address: there may be a password in it. */
function requireAddress(what: string, { url, headers = {}, tokenEnv }: McpAddress): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new TypeError(`${what}: its url is none that begins with https:// or http://.`);
  if (parsed.username !== '' || parsed.password !== '')
    throw new TypeError(`${what}: its url has a password in it. Give it by headers, or by tokenEnv.`);
  const authorization = Object.keys(headers).find((name) => name.toLowerCase() === 'authorization');
  if (tokenEnv !== undefined && authorization !== undefined)
    throw new TypeError(`${what} has a tokenEnv and an ${authorization} header. Give one of them.`);
  for (const [name, value] of Object.entries(headers)) requireHeader(what, name, value);
}

function requireHeader(what: string, name: string, value: string): void {
  try {
    new Headers([[name, value]]);
  } catch {
    throw new TypeError(`${what}: its header ${JSON.stringify(name)} is none that HTTP can carry.`);
  }
}

function filterOf(what: string, tools: McpOptions['tools']): McpServer['hasTool'] {
  if (tools === undefined) return () => true;
  if (typeof tools === 'function') return tools;
  const left = tools.filter((name) => name.startsWith('!')).map((name) => pattern(name.slice(1)));
  const taken = tools.filter((name) => !name.startsWith('!')).map(pattern);
  if (left.length + taken.length === 0)
    throw new TypeError(`${what}: its list of tools is empty. Leave it out to have all of them.`);
  return ({ name }) =>
    (taken.length === 0 || taken.some((each) => each.test(name))) && !left.some((each) => each.test(name));
}

function pattern(name: string): RegExp {
  const parts = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
