import { isJsonObject, type Json, type JsonObject, parseJson } from '../shared/json.js';
import {
  type McpAddress,
  type McpCommand,
  type McpOptions,
  type McpServer,
  mcpServer,
} from './mcp-server.js';

export type McpServersOptions = {
  /** By the name in the JSON: what {@link mcpServer} takes beside the place. */
  options?: Readonly<Record<string, McpOptions>>;
  /** What `${NAME}` is looked up in; default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
};

/**
 * The servers of the `mcpServers` JSON that desktop programs and editors have, as a text or as the parsed object:
 * `agent.tools = [...mcpServers(readFileSync('.mcp.json', 'utf8'))]`. `${NAME}` and `${env:NAME}` in it are read from the
 * environment, `${NAME:-else}` with something else where it is not set. A server that is `disabled` is left out; fields
 * that mean something to other programs only are ignored. Throws a TypeError that names the server and the fault.
 */
export function mcpServers(
  json: string | object,
  { options = {}, env = process.env }: McpServersOptions = {},
) {
  const servers = serversIn(json);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(servers, name));
  if (unknown !== undefined) {
    const known = Object.keys(servers).join(', ') || 'none';
    throw new TypeError(
      `mcpServers: there are options for "${unknown}", which is no server of the JSON; it has: ${known}.`,
    );
  }
  const made = new Map<string, McpServer>();
  for (const [written, server] of Object.entries(servers)) {
    const what = `mcpServers.${written}`;
    if (!isJsonObject(server)) throw new TypeError(`${what}: expected an object.`);
    if (server['disabled'] === true) continue;
    const name = fitName(written);
    if (made.has(name)) throw new TypeError(`mcpServers: two of its servers would be named ${name}.`);
    made.set(name, mcpServer(name, placeOf(what, server, env), options[written]));
  }
  return [...made.values()];
}

function serversIn(json: string | object): JsonObject {
  const parsed = typeof json === 'string' ? parseJson(json) : { ok: true as const, value: json as Json };
  if (!parsed.ok) throw new TypeError(`mcpServers: it is not JSON (${parsed.problem}).`);
  const servers = isJsonObject(parsed.value) ? parsed.value['mcpServers'] : undefined;
  if (isJsonObject(servers)) return servers;
  throw new TypeError(
    'mcpServers: expected an object with the field "mcpServers", as in {"mcpServers": {"docs": {"command": "npx", "args": ["some-server"]}}}.',
  );
}

/** Names there may be any text: `My Server` becomes `My-Server`. */
function fitName(written: string): string {
  return written
    .trim()
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^[_-]+/, '')
    .slice(0, 32)
    .replace(/_+$/, '');
}

function placeOf(
  what: string,
  server: JsonObject,
  env: McpServersOptions['env'] & {},
): McpCommand | McpAddress {
  const { type, command, url, serverUrl, httpUrl } = server;
  if (type === 'sse')
    throw new TypeError(
      `${what}: its type "sse" is MCP's transport of 2024. Give the server's address for streamable HTTP, and "type": "http".`,
    );
  const read = new Fields(what, server, env);
  const address = url ?? httpUrl ?? serverUrl;
  if (command !== undefined && address !== undefined)
    throw new TypeError(`${what} has a command and a url. Give one of them.`);
  if (command !== undefined) {
    return {
      command: read.text('command') ?? '',
      ...optional('args', read.texts('args')),
      ...optional('env', read.record('env')),
      ...optional('cwd', read.text('cwd')),
      ...optional('roots', read.texts('roots')),
    };
  }
  if (address === undefined) throw new TypeError(`${what}: give it a command, or a url.`);
  const field = url !== undefined ? 'url' : httpUrl !== undefined ? 'httpUrl' : 'serverUrl';
  return {
    url: read.text(field) ?? '',
    ...optional('headers', read.record('headers')),
    ...optional('tokenEnv', read.text('tokenEnv')),
    ...optional('roots', read.texts('roots')),
  };
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

/** The fields of one server, with the environment's values in them. */
class Fields {
  readonly #what: string;
  readonly #server: JsonObject;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(what: string, server: JsonObject, env: Readonly<Record<string, string | undefined>>) {
    this.#what = what;
    this.#server = server;
    this.#env = env;
  }

  text(field: string): string | undefined {
    const value = this.#server[field];
    if (value === undefined || value === null) return undefined;
    return this.#expanded(field, value);
  }

  texts(field: string): string[] | undefined {
    const value = this.#server[field];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw new TypeError(`${this.#what}.${field}: expected a list of texts.`);
    return value.map((each, index) => this.#expanded(`${field}[${index}]`, each));
  }

  record(field: string): Record<string, string> | undefined {
    const value = this.#server[field];
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw new TypeError(`${this.#what}.${field}: expected an object of texts.`);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.#expanded(`${field}.${name}`, each)]),
    );
  }

  #expanded(field: string, value: Json): string {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (!isPlain) throw new TypeError(`${this.#what}.${field}: expected a text.`);
    return String(value).replace(
      /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
      (_written, name: string, otherwise: string | undefined) => {
        // As in a shell, one that is set to nothing counts as not set where there is something else.
        const found = otherwise === undefined ? this.#env[name] : this.#env[name] || otherwise;
        if (found !== undefined) return found;
        throw new TypeError(
          `${this.#what}.${field}: the environment variable ${name} is not set. Set it, or write \${${name}:-something else}.`,
        );
      },
    );
  }
}
