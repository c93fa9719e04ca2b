import type { Agent } from '../define/define-agent.js';
import type { McpServer } from '../define/mcp-server.js';
import { type CatalogTool, catalogOf } from './catalog.js';
import { McpConnection } from './connection.js';
import { McpUnavailable } from './faults.js';

/** A settings record of each goes into one payload. */
const MOST_TOOLS = 2000;

/** The MCP servers of one worker's agents; each is connected to when it is first needed. */
export class McpConnections {
  readonly #connections = new Map<McpServer, McpConnection>();
  #isClosed = false;

  /** Of the agent's server of that name. */
  of({ servers }: Agent, name: string): McpConnection | undefined {
    const server = servers.find((each) => each.name === name);
    return server && this.#connection(server);
  }

  /**
   * Asks all servers of an agent for their tools, side by side. One that is `optional` and can't be reached has none,
   * which `warn` is told; any other throws McpUnavailable.
   */
  async catalog(
    agent: Agent,
    own: ReadonlySet<string>,
    { signal, warn }: { signal: AbortSignal; warn(text: string): void },
  ): Promise<CatalogTool[]> {
    const listed = await Promise.all(
      agent.servers.map(async (server) => {
        try {
          return { server, tools: await this.#connection(server).tools(signal) };
        } catch (error) {
          if (!(error instanceof McpUnavailable)) throw error;
          if (!server.optional) throw neededFor(server, error);
          warn(`${error.message} The turn begins without its tools.`);
          return { server, tools: [] };
        }
      }),
    );
    const catalog = catalogOf(listed, own, warn);
    if (catalog.length <= MOST_TOOLS) return catalog;
    throw new McpUnavailable(
      `The MCP servers of ${agent.name} have ${catalog.length} tools, and a turn can have ${MOST_TOOLS}: choose some with the option tools.`,
      true,
    );
  }

  /** Resolves when all servers that were started here have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  #connection(server: McpServer): McpConnection {
    if (this.#isClosed) throw new McpUnavailable(`The MCP server ${server.name}: the worker has shut down.`);
    const known = this.#connections.get(server) ?? new McpConnection(server);
    this.#connections.set(server, known);
    return known;
  }
}

/** With what to do about it, for those who see a turn that does not begin. */
function neededFor({ where, maxConnectTimeoutMs }: McpServer, { message, isLasting }: McpUnavailable) {
  const what = 'command' in where ? 'Check its command by hand' : 'Start it, or check its url';
  const tried = isLasting ? '' : ` It is tried for ${Math.round(maxConnectTimeoutMs / 1000)} s.`;
  const text = `${message}${tried} ${what}; with optional: true a turn begins without it.`;
  return new McpUnavailable(text, isLasting, maxConnectTimeoutMs);
}
