import type { ApproveOptions, TurnHandle } from '../client/turn-handle.js';
import type { Agent } from '../define/define-agent.js';
import { innermost, type TurnEvent } from '../shared/events.js';
import type { PermissionMode } from '../shared/permissions.js';

/** A call that waits for an approval. */
export type ApprovalRequest = Extract<TurnEvent, { type: 'approval_requested' }>;
type Verdict = boolean | { deny: string } | ApproveOptions;

/** Who decides in a test. */
export type StandIn = {
  /** `all`, or what is to become of a call: yes, no, no with a reason, or yes with other arguments. */
  approve?: 'all' | ((request: ApprovalRequest) => Verdict | Promise<Verdict>);
  /** To what `ask_user` asks. */
  answer?: string | ((question: string) => string | Promise<string>);
};

/**
 * Decides until the turn has ended, also on what its sub-agents ask. Throws for what nobody decides on, where the agent
 * would wait for ever.
 */
export async function standIn(
  turn: TurnHandle,
  agent: Agent,
  { approve, answer, mode }: StandIn & { mode?: PermissionMode },
): Promise<void> {
  if (!mayAsk(agent) && mode === undefined) return;
  const agents = new Map<string, Agent | undefined>();
  for await (const told of turn.events()) {
    const event = innermost(told);
    const { turnId } = event;
    const asking = turnId === turn.turnId ? turn : turn.subAgent(turnId);
    const waitsForEver = () => (agents.get(turnId) ?? agent).approvalTimeoutMs === undefined;
    if (event.type === 'turn_started') agents.set(turnId, withName(event.agent, agent));
    else if (event.type === 'approval_requested') {
      if (approve !== undefined)
        await decide(asking, event.callId, approve === 'all' ? true : await approve(event));
      else if (waitsForEver()) throw nobody(`"${event.summary}" needs an approval (${event.why})`, 'approve');
    } else if (event.type === 'question_asked') {
      if (answer !== undefined)
        await asking.answer(event.callId, typeof answer === 'string' ? answer : await answer(event.question));
      else if (waitsForEver()) throw nobody(`the agent asks: ${event.question}`, 'answer');
    }
  }
}

/** It, or a sub-agent of it, further down. */
function mayAsk({ permissions, tools }: Agent): boolean {
  if (permissions) return true;
  return tools.some(
    (tool) => tool.approval !== undefined || tool.asksPeople || (tool.agent && mayAsk(tool.agent)),
  );
}

function withName(name: string, agent: Agent): Agent | undefined {
  if (agent.name === name) return agent;
  for (const tool of agent.tools) {
    const found = tool.agent && withName(name, tool.agent);
    if (found) return found;
  }
  return undefined;
}

function nobody(what: string, option: string): Error {
  return new Error(`The turn waits: ${what}. Give testTurn the option "${option}".`);
}

async function decide(turn: TurnHandle, callId: string, verdict: Verdict): Promise<void> {
  if (verdict === true) await turn.approve(callId);
  else if (verdict === false) await turn.deny(callId);
  else if ('deny' in verdict) await turn.deny(callId, { reason: verdict.deny });
  else await turn.approve(callId, verdict);
}
