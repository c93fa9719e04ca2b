import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpAddress, McpServer } from '../define/mcp-server.js';
import { isJsonObject, parseJson } from '../shared/json.js';
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
const READ_MS = 50;

/** Not connected yet. `onStreamCut` is told when a stream that was to bring an answer has ended without it. */
export function openTransport(sdk: McpSdk, { name, where }: McpServer, onStreamCut: () => void): Opened {
  if ('command' in where) {
    const process = new ServerProcess(sdk, where);
    return { transport: process, lastWords: () => process.lastWords, close: () => process.close() };
  }
  const unanswered = new Set<unknown>();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(where.url), {
    requestInit: { headers: headersOf(name, where) },
    fetch: watched(unanswered, onStreamCut),
  });
  transport.onmessage = (message) => {
    if ('id' in message && !('method' in message)) unanswered.delete(message.id);
  };
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
    true,
  );
}

/** The SDK does not tell when a server ends a stream in good order, and an answer was still to come on it. */
function watched(unanswered: Set<unknown>, onStreamCut: () => void): typeof fetch {
  return async (input, init) => {
    const id = requestId(init?.body);
    if (id !== undefined) unanswered.add(id);
    const response = await fetch(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (id === undefined || !response.ok || !response.body || !isStream) return response;
    const ended = () => {
      if (unanswered.delete(id)) onStreamCut();
    };
    // What came last is read after the end of the stream is seen here.
    const flush = () => void setTimeout(ended, READ_MS);
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(new TransformStream({ flush })), {
      status,
      statusText,
      headers,
    });
  };
}

function requestId(body: unknown): unknown {
  const message = typeof body === 'string' ? parseJson(body) : undefined;
  if (!message?.ok || !isJsonObject(message.value)) return undefined;
  return 'method' in message.value ? message.value['id'] : undefined;
}
