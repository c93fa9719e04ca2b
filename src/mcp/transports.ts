import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpAddress, McpServer } from '../define/mcp-server.js';
import { McpUnavailable } from './faults.js';
import type { McpSdk } from './sdk.js';
import { ServerProcess } from './server-process.js';

export type Opened = {
  transport: Transport;
  /** How the server ended, and the last that it wrote to its standard error. */
  lastWords(): string;
  /** Resolves when nothing is left of it; never rejects. */
  close(): Promise<void>;
};

const GOODBYE_MS = 1000;

/** Not connected yet. `onStreamEnd` is told when a stream that was to bring an answer has ended, with it or without. */
export function openTransport(sdk: McpSdk, { name, where }: McpServer, onStreamEnd: () => void): Opened {
  if ('command' in where) {
    const process = new ServerProcess(sdk, where);
    return { transport: process, lastWords: () => process.lastWords, close: () => process.close() };
  }
  const transport = new sdk.StreamableHTTPClientTransport(new URL(where.url), {
    requestInit: { headers: headersOf(name, where) },
    fetch: watched(onStreamEnd),
  });
  const close = async () => {
    const goodbye = transport.terminateSession().catch(() => undefined);
    await Promise.race([goodbye, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
    await transport.close().catch(() => undefined);
  };
  // As the SDK declares it, its session id may be undefined; as its own interface does, it may not.
  return { transport: transport as Transport, lastWords: () => '', close };
}

function headersOf(name: string, { headers = {}, tokenEnv }: McpAddress): Record<string, string> {
  if (tokenEnv === undefined) return { ...headers };
  const token = process.env[tokenEnv];
  if (token) return { ...headers, Authorization: `Bearer ${token}` };
  throw new McpUnavailable(
    `The MCP server ${name} needs a token: set the environment variable ${tokenEnv} of the worker.`,
  );
}

/** The SDK does not tell when a server ends a stream in good order, and an answer is still to come on it. */
function watched(onStreamEnd: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (init?.method !== 'POST' || !response.ok || !response.body || !isStream) return response;
    const body = response.body.pipeThrough(new TransformStream({ flush: () => void setImmediate(onStreamEnd) }));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
