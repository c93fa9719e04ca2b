import type { Agent, AnyTool } from '../define/define-agent.js';

/** The agents that one worker serves: found by name and version, so that two versions of one may stand side by side. */
export class Agents {
  readonly #agents: readonly Agent[];

  constructor(agents: readonly Agent[]) {
    for (const [index, agent] of agents.entries()) {
      const same = agents.findIndex((other) => other.name === agent.name && other.version === agent.version);
      if (same < index) throw new TypeError(`Two agents are named ${agent.name}, version ${agent.version}.`);
    }
    this.#agents = agents;
  }

  /** Without a version: the last one given of that name. */
  find(name: string, version: string | undefined): Agent | undefined {
    return this.#agents.findLast(
      (agent) => agent.name === name && (version === undefined || agent.version === version),
    );
  }

  findTool(name: string, version: string, tool: string): AnyTool | undefined {
    return this.find(name, version)?.tools.find((each) => each.name === tool);
  }

  toolNames(): string[] {
    return [...new Set(this.#agents.flatMap((agent) => agent.tools.map((tool) => tool.name)))];
  }

  describe(): string {
    const list = this.#agents.map((agent) => `${agent.name} ${agent.version}`);
    return list.length > 0 ? list.join(', ') : 'none';
  }
}
