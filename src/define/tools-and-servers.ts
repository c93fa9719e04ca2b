import { FIND_TOOLS } from '../shared/mcp.js';
import type { AnyAgent, AnyTool } from './define-agent.js';
import type { McpServer } from './mcp-server.js';
import { subAgentTool } from './sub-agent-tool.js';

/**
 * The two kinds of what an agent is given as `tools`, with its sub-agents among the tools. Throws a TypeError that names the
 * agent and the name that is there twice, or that none of its tools can have.
 */
export function toolsAndServers(
  agent: string,
  given: readonly (AnyTool | McpServer | AnyAgent)[],
): { tools: AnyTool[]; servers: McpServer[] } {
  const tools = given.flatMap((each) => {
    if (each.kind === 'agent') return [subAgentTool(agent, each)];
    return each.kind === 'tool' ? [each] : [];
  });
  const servers = given.filter((each) => each.kind === 'mcp_server');
  const sameName = (list: readonly { name: string }[]) =>
    list.find((each, index) => list.findIndex(({ name }) => name === each.name) < index)?.name;
  const tool = sameName(tools);
  if (tool !== undefined) throw new TypeError(`Agent ${agent}: two of its tools are named ${tool}.`);
  // Its model could take itself for it.
  if (tools.some(({ name }) => name === agent))
    throw new TypeError(`Agent ${agent}: one of its tools has its own name. Give one of them another.`);
  const server = sameName(servers);
  if (server !== undefined)
    throw new TypeError(`Agent ${agent}: two of its MCP servers are named ${server}.`);
  if (servers.length > 0 && tools.some(({ name }) => name === FIND_TOOLS))
    throw new TypeError(
      `Agent ${agent}: an agent with MCP servers has a tool ${FIND_TOOLS} of Holdfast's own. Give yours another name.`,
    );
  return { tools, servers };
}
