import { type Agent, type AgentOptions, defineAgent } from '../../src/define/define-agent.js';
import { reply, type Script, scriptedModel, toolCall } from '../../src/testing/index.js';

/** An agent that others may call; `options` may give it a model of its own in place of the script. */
export function subAgent(name: string, script: Script, options: Partial<AgentOptions> = {}): Agent {
  return defineAgent({
    name,
    description: `Does what a ${name} does.`,
    instructions: `You are a ${name}.`,
    model: scriptedModel(script),
    ...options,
  });
}

/** A reply that calls a sub-agent; the call's id is the agent's name. */
export function ask(name: string, task = 'look it up') {
  return { ...toolCall(name, { task }), id: name };
}

/** Sub-agents within sub-agents: `level1` calls `level2`, and so on; the last one answers. */
export function nested(levels: number, deepest: Agent): Agent {
  return Array.from({ length: levels }, (_, index) => levels - index).reduce((below, level) => {
    const script: Script = [ask(below.name), reply({ type: 'text', text: `level${level} is done` })];
    return subAgent(`level${level}`, script, { tools: [below] });
  }, deepest);
}
