import type { Agent, AnyTool } from '../define/define-agent.js';
import { type CatalogTool, isCatalog } from '../mcp/catalog.js';
import { McpUnavailable } from '../mcp/faults.js';
import { findToolsTool, foundIn, foundText } from '../mcp/find-tools.js';
import { mcpTool } from '../mcp/mcp-tool.js';
import type { CallModelInput, PlannedCall } from '../shared/activities.js';
import { READ_ARTIFACT } from '../shared/artifacts.js';
import { isJsonObject } from '../shared/json.js';
import { FIND_TOOLS, type McpSettings } from '../shared/mcp.js';
import { type Message, textContent } from '../shared/messages.js';
import { ModelError } from '../shared/model-port.js';
import { PRESENT_PLAN } from '../shared/permissions.js';
import { errorText } from '../shared/wire-text.js';
import type { ActivityServices } from './services.js';
import { artifactsOf } from './turn-artifacts.js';

/** What one model call may ask for. */
export type Offer = {
  /** What may be called; what of it is `hidden` is not shown. */
  tools: readonly AnyTool[];
  /** What the turn is settled with. */
  settled: readonly AnyTool[];
  /** Of the first call of a turn of an agent with MCP servers; never rejects. */
  mcp?: Promise<McpSettings>;
  /** A search for tools has its answer where it is planned: all that it needs is here. */
  answered(call: PlannedCall): PlannedCall;
};

/** Another worker of the queue may be one that can. */
const LASTING_ATTEMPTS = 3;
const MOST_ATTEMPTS = 100;

/** `waitedMs`: since the model call was scheduled. */
export type Asking = { signal: AbortSignal; warn(text: string): void; waitedMs(): number };

/**
 * The agent's tools and those of its MCP servers: at the first call of a turn as the servers list them now, later as they
 * were settled then. Throws a ModelError where a server can't be reached.
 */
export async function offerOf(
  services: ActivityServices,
  agent: Agent,
  { resolve, mcp, permissions, above }: CallModelInput,
  messages: readonly Message[],
  asking: Asking,
): Promise<Offer> {
  const own = services.agents.toolsOf(agent);
  // A plan that was to be made by a caller is the caller's to present.
  const isPlanning = above?.mode !== 'plan' && (permissions?.mode ?? agent.permissions?.mode) === 'plan';
  const shown = own.filter(({ name }) => {
    if (name === PRESENT_PLAN) return isPlanning;
    // Before there is an artifact the tool that reads them would only be in the way.
    return name !== READ_ARTIFACT || artifactsOf(messages).size > 0;
  });
  if (!mcp && (!resolve || agent.servers.length === 0))
    return { tools: shown, settled: own, answered: (call) => call };
  const catalog = await catalogOf(services, agent, mcp, asking);
  const isSearched = mcp ? mcp.isSearched === true : catalog.length > agent.findToolsBeyond;
  const found = isSearched ? foundIn(messages) : undefined;
  const listed = catalog.map((tool) => {
    const server = agent.servers.find(({ name }) => name === tool.server);
    return { ...mcpTool(tool, server), ...(found && !found.has(tool.name) && { hidden: true as const }) };
  });
  return {
    tools: [...shown, ...(isSearched ? [findToolsTool(catalog)] : []), ...listed],
    settled: [...own, ...listed],
    ...(!mcp && { mcp: settledMcp(services, catalog, isSearched, asking) }),
    answered: (call) => (isSearched ? answeredSearch(call, catalog) : call),
  };
}

async function catalogOf(
  { agents, artifacts, mcp: connections, catalogs }: ActivityServices,
  agent: Agent,
  mcp: McpSettings | undefined,
  asking: Asking,
): Promise<readonly CatalogTool[]> {
  const ref = mcp?.catalog;
  try {
    if (ref) {
      const known = catalogs.get(ref.sha256) ?? readCatalog(await artifacts.load(ref));
      catalogs.set(ref.sha256, known);
      return known;
    }
  } catch (error) {
    // What is not one of the settled tools the workflow answers with an error.
    asking.warn(
      `The settled tools of MCP servers can't be read, so that these are asked again: ${errorText(error)}`,
    );
  }
  try {
    const own = new Set(agents.toolsOf(agent).map(({ name }) => name));
    return await connections.catalog(agent, own, asking);
  } catch (error) {
    if (!(error instanceof McpUnavailable)) throw error;
    // It may have been in the queue for long: so the tries count, too.
    const isOver = error.isLasting || asking.waitedMs() >= (error.maxWaitMs ?? Infinity);
    const maxAttempts = isOver ? LASTING_ATTEMPTS : MOST_ATTEMPTS;
    throw new ModelError('Mcp.Unavailable', error.message, { retryable: true, maxAttempts, cause: error });
  }
}

async function settledMcp(
  { artifacts, catalogs }: ActivityServices,
  catalog: readonly CatalogTool[],
  isSearched: boolean,
  { warn }: Asking,
): Promise<McpSettings> {
  const searched = isSearched ? { isSearched } : {};
  try {
    const ref = await artifacts.save(Buffer.from(JSON.stringify({ v: 1, tools: catalog })));
    catalogs.set(ref.sha256, catalog);
    return { ...searched, catalog: ref };
  } catch (error) {
    warn(
      `The tools of MCP servers can't be kept, so that each model call asks for them: ${errorText(error)}`,
    );
    return searched;
  }
}

function readCatalog(bytes: Uint8Array): readonly CatalogTool[] {
  const catalog: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (isCatalog(catalog)) return catalog.tools;
  throw new TypeError('the artifact is no catalog that this worker can read');
}

function answeredSearch(call: PlannedCall, catalog: readonly CatalogTool[]): PlannedCall {
  if (call.do !== 'run' || call.name !== FIND_TOOLS) return call;
  const { callId, name, input } = call;
  const text = foundText(catalog, isJsonObject(input) ? input['query'] : '');
  const content = textContent(callId, text);
  const { summary, permission } = call;
  return {
    ...{ do: 'answer', callId, name },
    result: { type: 'tool_result', callId, name, status: 'ok', content },
    ...(permission?.policy === 'ask' && { asks: { input, summary, permission } }),
  };
}
