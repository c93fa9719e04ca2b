import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { McpServer } from '../define/mcp-server.js';
import { isJsonObject, type JsonObject } from '../shared/json.js';
import type { McpPlace } from '../shared/mcp.js';
import { orAborted } from '../shared/or-aborted.js';
import { faultOf, faultText, isRefused, McpUnavailable, withoutSecrets } from './faults.js';
import { type McpSdk, mcpSdk, type RequestOptions, type SdkClient } from './sdk.js';
import { callAsTask } from './task-call.js';
import { type Opened, openTransport } from './transports.js';

/** A tool as its server lists it: nothing of it is checked but its name. */
export type ListedTool = JsonObject & { name: string };

export type CallOptions = {
  signal: AbortSignal;
  /** From the server's last sign of life. */
  timeoutMs: number;
  onProgress(text: string): void;
};

// What servers send is read here, and not held to what the SDK knows today: one odd tool must not hide the others.
const anyResult = z.looseObject({});
const MAX_PAGES = 200;
const PING_MS = 5000;
const CLIENT = { name: 'holdfast', version: '1' };

/** One connection to a server, from its opening until it is lost or closed. */
export class McpSession {
  readonly #server: McpServer;
  readonly #client: SdkClient;
  readonly #opened: Opened;
  readonly #sdk: McpSdk;
  #isOpen = true;
  #pending = 0;
  #isRetired = false;
  #idle: (() => void) | undefined;
  #tools: Promise<ListedTool[]> | undefined;
  #probe: Promise<boolean> | undefined;

  private constructor(server: McpServer, sdk: McpSdk) {
    this.#server = server;
    this.#sdk = sdk;
    const roots = server.where.roots ?? [];
    this.#client = new sdk.Client(CLIENT, { capabilities: roots.length > 0 ? { roots: {} } : {} });
    if (roots.length > 0)
      this.#client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({
        roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
      }));
    this.#client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => {
      this.#tools = undefined;
    });
    this.#client.onclose = () => {
      this.#isOpen = false;
      this.#idle?.();
    };
    // The end of a program is seen; that of a server far away is not.
    if ('url' in server.where) this.#client.onerror = () => this.#doubt();
    this.#opened = openTransport(sdk, server, () => this.#doubt());
  }

  /** Throws McpUnavailable where the server does not answer in time, or not as one. */
  static async open(server: McpServer, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(server, await mcpSdk());
    const timeout = server.connectTimeoutMs;
    try {
      await orAborted(session.#client.connect(session.#opened.transport, { timeout }), signal);
      return session;
    } catch (error) {
      // What a process has to say comes a moment after its end.
      await session.close();
      throw session.#unavailable(error);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Asked once, and again after the server has said that its list has changed. */
  async tools(): Promise<ListedTool[]> {
    this.#tools ??= this.#listTools();
    const asked = this.#tools;
    try {
      return await asked;
    } catch (error) {
      if (this.#tools === asked) this.#tools = undefined;
      throw error;
    }
  }

  /** The result as it came. An abort reaches the server; so does a timeout. */
  async call({ tool, isTask }: McpPlace, args: JsonObject, options: CallOptions): Promise<JsonObject> {
    this.#pending += 1;
    try {
      const params = { name: tool, arguments: args };
      const requestOptions: RequestOptions = {
        signal: options.signal,
        timeout: options.timeoutMs,
        resetTimeoutOnProgress: true,
        // Without a listener the server is not asked for progress, and the timeout is never reset.
        onprogress: (progress) => options.onProgress(progressText(progress)),
      };
      if (isTask) {
        const task = { params, requestOptions, ...options, isThere: () => this.answers() };
        return await callAsTask(this.#sdk, this.#client, task);
      }
      return (await this.#client.request(
        { method: 'tools/call', params },
        anyResult,
        requestOptions,
      )) as JsonObject;
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) this.#idle?.();
    }
  }

  /** Whether it can be used: at once, unless there is a doubt that is being looked into. */
  async isSound(): Promise<boolean> {
    return this.#isOpen && !this.#isRetired && (await (this.#probe ?? true));
  }

  /** Whether the server still answers; one that doesn't takes no more calls, and one that is not there ends those it has. */
  async answers(): Promise<boolean> {
    this.#probe ??= this.#ping().finally(() => {
      this.#probe = undefined;
    });
    return await this.#probe;
  }

  /** It takes no more calls; resolves when it has ended those that it has, and is closed. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#isOpen && this.#pending > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    await this.close();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#opened.close();
    await this.#client.close().catch(() => undefined);
  }

  async #ping(): Promise<boolean> {
    if (!this.#isOpen) return false;
    try {
      await this.#client.ping({ timeout: PING_MS });
      return true;
    } catch (error) {
      const fault = faultOf(error, this.#isOpen);
      if (fault === 'answered') return true;
      // It may be busy with a call, which has a timeout of its own.
      if (fault === 'late') this.#isRetired = true;
      else await this.close();
      return false;
    }
  }

  /** Something was wrong with the connection: those who wait must not wait for nothing. */
  #doubt(): void {
    if (this.#isOpen && this.#pending > 0) void this.answers();
  }

  async #listTools(): Promise<ListedTool[]> {
    // A server that only has prompts or resources.
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const listed: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } };
      const options = { timeout: this.#server.connectTimeoutMs };
      const { tools, nextCursor } = await this.#client.request(request, anyResult, options);
      if (Array.isArray(tools)) listed.push(...tools.filter(isListed));
      if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return listed;
  }

  #unavailable(error: unknown): McpUnavailable {
    if (error instanceof McpUnavailable) return error;
    const { name, where } = this.#server;
    const start = `The MCP server ${name} can't be reached:`;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing && 'command' in where) {
      const place = where.cwd === undefined ? '' : `, or there is no folder ${where.cwd}`;
      return new McpUnavailable(
        `${start} there is no program ${where.command}${place}. Install it, or give its path.`,
        true,
      );
    }
    const words = withoutSecrets(this.#opened.lastWords(), this.#server);
    const text = `${start} ${faultText(error, this.#server)}.${words && ` ${words}`}`;
    return new McpUnavailable(text, isRefused(error));
  }
}

function isListed(tool: unknown): tool is ListedTool {
  return isJsonObject(tool) && typeof tool['name'] === 'string' && tool['name'] !== '';
}

type Progress = { progress: number; total?: number | undefined; message?: string | undefined };

function progressText({ progress, total, message }: Progress): string {
  const amount = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined || message === '' ? amount : `${message} (${amount})`;
}
