import type { Agent, AnyTool } from '../define/define-agent.js';
import { type Hooks, hooksOf, type NamedHooks } from '../define/hooks.js';

/** The agents that one worker serves: found by name and version, so that two versions of one may stand side by side. */
export class Agents {
  readonly #agents: readonly Agent[];
  /** The tools that every agent has. */
  readonly #common: readonly AnyTool[];

  /** `hooks` are of all agents, after their own. */
  constructor(agents: readonly Agent[], common: readonly AnyTool[] = [], hooks: readonly Hooks[] = []) {
    if (!Array.isArray(agents)) throw new TypeError('agents: give a list of what defineAgent(...) returns.');
    for (const [index, agent] of agents.entries()) {
      if (agent?.kind !== 'agent') {
        throw new TypeError(`agents[${index}] is no agent: give what defineAgent(...) returns.`);
      }
    }
    const all = withSubAgents(agents);
    const extra = hooksOf('The worker', hooks);
    this.#agents = extra.length === 0 ? all : all.map((agent) => withHooks(agent, extra));
    for (const agent of this.#agents) {
      const isSame = (other: Agent) => other.name === agent.name && other.version === agent.version;
      if (this.#agents.filter(isSame).length > 1) {
        throw new TypeError(
          `Two agents are named ${agent.name}, version ${agent.version}; sub-agents count, too.`,
        );
      }
    }
    this.#common = common;
  }

  /** Without a version: the last one given of that name. */
  find(name: string, version: string | undefined): Agent | undefined {
    return this.#agents.findLast(
      (agent) => agent.name === name && (version === undefined || agent.version === version),
    );
  }

  findTool(name: string, version: string, tool: string): AnyTool | undefined {
    const agent = this.find(name, version);
    return agent && this.toolsOf(agent).find((each) => each.name === tool);
  }

  /** An agent's own tools and those that every agent has. */
  toolsOf(agent: Agent): AnyTool[] {
    return [...agent.tools, ...this.#common];
  }

  /** Sub-agents included. */
  get all(): readonly Agent[] {
    return this.#agents;
  }

  /** Of those that are activities. */
  toolNames(): string[] {
    const all = this.#agents.flatMap((agent) => this.toolsOf(agent));
    const tools = all.filter((tool) => !tool.agent && !tool.remote);
    return [...new Set(tools.map((tool) => tool.name))];
  }

  describe(): string {
    const list = this.#agents.map((agent) => `${agent.name} ${agent.version}`);
    return list.length > 0 ? list.join(', ') : 'none';
  }
}

function withHooks(agent: Agent, extra: readonly NamedHooks[]): Agent {
  const both = agent.hooks.find(({ name }) => extra.some((each) => each.name === name));
  if (both)
    throw new TypeError(
      `The worker and its agent ${agent.name} both have hooks named ${both.name}. Give one of them another name.`,
    );
  return { ...agent, hooks: [...agent.hooks, ...extra] };
}

/** Those that were given come last, so that a turn without a version gets one of them; each once. */
function withSubAgents(agents: readonly Agent[]): Agent[] {
  const given = new Set(agents);
  const found = new Set<Agent>();
  const collect = (agent: Agent) => {
    for (const { agent: below } of agent.tools) {
      if (!below || found.has(below)) continue;
      collect(below);
      if (!given.has(below)) found.add(below);
    }
  };
  agents.forEach(collect);
  return [...found, ...agents];
}
