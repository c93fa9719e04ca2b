import type { ApproveOptions, TurnHandle } from '../client/turn-handle.js';
import type { Agent } from '../define/define-agent.js';
import type { TurnEvent } from '../shared/events.js';

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
 * Decides until the turn has ended. Throws for what nobody decides on, where the agent would wait for ever.
 */
export async function standIn(
  turn: TurnHandle,
  agent: Agent,
  { approve, answer, mode }: StandIn & { mode?: PermissionMode },
): Promise<void> {
  const isAsking = agent.tools.some((tool) => tool.approval !== undefined || tool.asksPeople);
  if (!isAsking && !agent.permissions && mode === undefined) return;
  for await (const event of turn.events()) {
    if (event.type === 'approval_requested') {
      if (approve !== undefined)
        await decide(turn, event.callId, approve === 'all' ? true : await approve(event));
      else if (agent.approvalTimeoutMs === undefined)
        throw nobody(`"${event.summary}" needs an approval (${event.why})`, 'approve');
    } else if (event.type === 'question_asked') {
      if (answer !== undefined)
        await turn.answer(event.callId, typeof answer === 'string' ? answer : await answer(event.question));
      else if (agent.approvalTimeoutMs === undefined)
        throw nobody(`the agent asks: ${event.question}`, 'answer');
    }
  }
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
