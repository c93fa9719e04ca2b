import type { SessionHandle } from '../../client/session-handle.js';
import type { SessionTurnHandle } from '../../client/session-turn-handle.js';
import type { WithdrawReceipt } from '../../shared/session-requests.js';
import type { OpenTurns } from './open-turns.js';

/**
 * Of a message that waits: it may become part of another turn than `own`, be refused, or withdrawn by somebody.
 * `onUnsent`: nothing comes of it, and nobody here has taken it back.
 */
export function leaveToWait(
  turn: SessionTurnHandle,
  own: string,
  turns: OpenTurns,
  onUnsent: (error: unknown) => void,
): void {
  turn.begun().then(
    () => turn.turnId === own || turns.closed(own),
    (error: unknown) => {
      if (!turns.has(own)) return;
      // Who takes it back here is told of that otherwise.
      const isTold = turns.takenBack(own) === undefined;
      turns.closed(own);
      if (!isTold) onUnsent(error);
    },
  );
}

/** Takes a message back by its id. `text`: what it said, where this chat has sent it. */
export async function takeBack(
  session: SessionHandle,
  id: string,
  turns: OpenTurns,
): Promise<{ status: WithdrawReceipt['status']; text: string | undefined }> {
  const own = `${session.sessionId}/${id}`;
  const text = turns.takenBack(own);
  const back = () => text === undefined || turns.waits(own, text);
  try {
    const { status } = await session.withdraw(id);
    if (status === 'withdrawn') turns.closed(own);
    else back();
    return { status, text };
  } catch (error) {
    back();
    throw error;
  }
}
