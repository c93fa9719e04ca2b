import type { McpServer } from '../define/mcp-server.js';
import { UnknownOutcome } from '../define/tool-outcomes.js';
import type { JsonObject } from '../shared/json.js';
import type { McpPlace } from '../shared/mcp.js';
import { orAborted } from '../shared/or-aborted.js';
import { faultOf, faultText, isWorthReconnecting, McpUnavailable } from './faults.js';
import { type ListedTool, McpSession } from './session.js';

export type McpCall = {
  place: McpPlace;
  args: JsonObject;
  /** It may run again after a connection that was lost in its middle. */
  isRepeatable: boolean;
  signal: AbortSignal;
  onProgress(text: string): void;
};

/** After a vain attempt the next one waits that long: those who come in between are told the same at once. */
const PAUSE_MS = 500;
const ATTEMPTS = 2;

/** A server as one worker sees it: connected when it is first needed, and anew when that connection is lost. */
export class McpConnection {
  readonly server: McpServer;
  /** Shared by all who wait for it. */
  #session: Promise<McpSession> | undefined;
  #failed: { error: unknown; at: number } | undefined;
  readonly #closing = new AbortController();
  /** Connections that others have taken the place of. */
  readonly #retired = new Set<Promise<void>>();

  constructor(server: McpServer) {
    this.server = server;
  }

  /** Throws McpUnavailable. */
  async tools(signal: AbortSignal): Promise<ListedTool[]> {
    for (let attempt = 1; ; attempt++) {
      const session = await this.#connected(signal);
      try {
        return await orAborted(session.tools(), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (attempt < ATTEMPTS && isWorthReconnecting(error, session.isOpen)) await this.#forget(session);
        else
          throw new McpUnavailable(`The MCP server ${this.server.name}: ${faultText(error, this.server)}.`);
      }
    }
  }

  /**
   * Calls a tool; ends in bounded time, whatever the server does. Throws an UnknownOutcome where nobody knows whether it
   * took effect, and an Error with a text for the model where it is known that it did not, or may run again.
   */
  async call(call: McpCall): Promise<JsonObject> {
    const limit = new AbortController();
    const { name, maxTimeoutMs } = this.server;
    const late = new McpUnavailable(`The MCP server ${name} was not there within ${seconds(maxTimeoutMs)}.`);
    const timer = setTimeout(() => limit.abort(late), maxTimeoutMs);
    try {
      return await this.#callWithin(
        { ...call, signal: AbortSignal.any([call.signal, limit.signal]) },
        call.signal,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async #callWithin(call: McpCall, interrupted: AbortSignal): Promise<JsonObject> {
    for (let attempt = 1; ; attempt++) {
      const session = await this.#connected(call.signal);
      try {
        const { timeoutMs } = this.server;
        return await session.call(call.place, call.args, { ...call, timeoutMs });
      } catch (error) {
        interrupted.throwIfAborted();
        const fault = call.signal.aborted ? 'late' : faultOf(error, session.isOpen);
        if (fault === 'answered') throw new Error(faultText(error, this.server));
        const isOver = fault === 'late' || attempt === ATTEMPTS;
        // A server that was too slow may be stuck: whoever comes next must not wait for it again.
        if (fault === 'late') void session.answers();
        else if (isWorthReconnecting(error, session.isOpen)) await this.#forget(session);
        else if (fault === 'not_begun') throw this.#notRun(error);
        if (!isOver && (fault === 'not_begun' || call.isRepeatable)) continue;
        throw fault === 'not_begun' ? this.#notRun(error) : this.#broken(call, fault, error);
      }
    }
  }

  /** Resolves when the server is gone. Nothing can be called afterwards. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the worker has shut down'));
    const session = await this.#session?.catch(() => undefined);
    await Promise.all([session?.close(), ...this.#retired]);
  }

  #notRun(error: unknown): Error {
    return new Error(
      `the MCP server ${this.server.name} did not take the call: ${faultText(error, this.server)}. Nothing was run.`,
    );
  }

  #broken({ place, isRepeatable, signal }: McpCall, fault: 'lost' | 'late', error: unknown): Error {
    const { name, timeoutMs, maxTimeoutMs } = this.server;
    const server = `the MCP server ${name}`;
    const why =
      fault === 'lost'
        ? `${server} ended, or its connection broke, while ${place.tool} ran (${faultText(error, this.server)})`
        : signal.aborted
          ? `${server} did not end ${place.tool} within ${seconds(maxTimeoutMs)}`
          : `${server} gave no sign of life for ${seconds(timeoutMs)} while ${place.tool} ran`;
    if (isRepeatable) return new Error(`${why}. It may be called again.`);
    return new UnknownOutcome(
      `${why}. Whether it took effect is unknown. Find out before you call it again.`,
    );
  }

  /** The connection that is there, or a new one. Who stops waiting does not stop it for the others. */
  async #connected(signal: AbortSignal): Promise<McpSession> {
    if (this.#closing.signal.aborted)
      throw new McpUnavailable(`The MCP server ${this.server.name}: the worker has shut down.`);
    const known = await orAborted(this.#session ?? Promise.resolve(undefined), signal);
    if (known && (await orAborted(known.isSound(), signal))) return known;
    if (known) await this.#forget(known);
    this.#session ??= this.#opening();
    return await orAborted(this.#session, signal);
  }

  #opening(): Promise<McpSession> {
    const opening = this.#open();
    opening.catch(() => {
      if (this.#session === opening) this.#session = undefined;
    });
    return opening;
  }

  async #open(): Promise<McpSession> {
    try {
      if (this.#failed && Date.now() - this.#failed.at < PAUSE_MS) throw this.#failed.error;
      const session = await McpSession.open(this.server, this.#closing.signal);
      if (this.#closing.signal.aborted) await session.close();
      return session;
    } catch (error) {
      if (this.#failed?.error !== error) this.#failed = { error, at: Date.now() };
      throw error;
    }
  }

  /** The next who needs the server connects anew; only the first who finds a connection lost does so. */
  async #forget(session: McpSession): Promise<void> {
    const known = this.#session;
    const isKnown = known && (await known.catch(() => undefined)) === session;
    if (!isKnown || this.#session !== known) return;
    this.#session = undefined;
    const retired = session.retire().finally(() => this.#retired.delete(retired));
    this.#retired.add(retired);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
