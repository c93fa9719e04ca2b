// What people do in a turn that is recorded.

/** Resolves with the ids of the calls that wait for people, once there are so many. */
export async function untilAsked(turn, count) {
  const ids = [];
  for await (const event of turn.events()) {
    if (event.type === 'approval_requested' || event.type === 'question_asked') ids.push(event.callId);
    if (ids.length === count) return ids;
  }
  return ids;
}

/** Approves what the sub-agent `asks` waits for. */
export async function decideBelow(turn) {
  for await (const { type, event } of turn.events()) {
    if (type !== 'sub_agent' || event.type !== 'approval_requested') continue;
    await turn.subAgent(event.turnId).approve(event.callId);
    return;
  }
}
