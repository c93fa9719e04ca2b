import type { ApproveOptions, TurnHandle } from '../client/turn-handle.js';
import type { TurnEvent } from '../shared/events.js';

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

/** Decides until the turn has ended. */
export async function standIn(turn: TurnHandle, { approve, answer }: StandIn): Promise<void> {
  if (approve === undefined && answer === undefined) return;
  for await (const event of turn.events()) {
    if (event.type === 'approval_requested' && approve !== undefined) {
      await decide(turn, event.callId, approve === 'all' ? true : await approve(event));
    } else if (event.type === 'question_asked' && answer !== undefined) {
      const said = typeof answer === 'string' ? answer : await answer(event.question);
      await turn.answer(event.callId, said);
    }
  }
}

async function decide(turn: TurnHandle, callId: string, verdict: Verdict): Promise<void> {
  if (verdict === true) await turn.approve(callId);
  else if (verdict === false) await turn.deny(callId);
  else if ('deny' in verdict) await turn.deny(callId, { reason: verdict.deny });
  else await turn.approve(callId, verdict);
}
