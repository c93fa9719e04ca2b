import type { TurnHandle } from '../client/turn-handle.js';
import { EXIT_FAILED } from './exit-codes.js';
import { withPlace } from './open-client.js';
import { quoted } from './quoted.js';
import { terminalOf } from './terminal.js';
import { findTurn } from './turns/find-turn.js';
import { pollersOf, startWorker } from './turns/pollers.js';
import { endOf } from './turns/turn-end.js';
import { UsageError } from './usage-error.js';

/** What can be sent into a running turn. `says`: once it is on its way. */
const messages = {
  interrupt: {
    send: (turn: TurnHandle, text: string | undefined) => turn.interrupt(text),
    says: 'is interrupted: what runs is canceled, and each tool call gets its result.',
  },
  stop: {
    send: (turn: TurnHandle, text: string | undefined) => turn.stop(text),
    says: 'stops after what runs: no tool and no model call starts any more.',
  },
  steer: {
    send: (turn: TurnHandle, text: string | undefined) => turn.steer(text ?? ''),
    says: 'is sent the message, which joins before the next model call.',
  },
};

/** `holdfast interrupt`, `stop` and `steer`. Returns the exit code: 1 where the turn had ended. */
export async function sendCommand(
  kind: keyof typeof messages,
  name: string,
  text: string | undefined,
): Promise<number> {
  if (kind === 'steer' && text?.trim() === '')
    throw new UsageError('The message is empty. Say what to tell it.');
  return await withPlace(async (place) => {
    const { client } = place;
    const { workflowId, taskQueue } = await findTurn(place, name);
    const { send, says } = messages[kind];
    const { status } = await send(client.turn(workflowId), text);
    const { write, style } = terminalOf(process.stdout);
    if (status === 'too_late') {
      const end = await endOf(client.client, await findTurn(place, workflowId));
      terminalOf(process.stderr).write(`The turn ${workflowId} has ended before: ${end.status}.\n`);
      return EXIT_FAILED;
    }
    write(`The turn ${workflowId} ${says}\n`);
    const pollers = await pollersOf(client.client, taskQueue);
    if (pollers.length === 0) {
      write(
        `No worker polls its task queue "${taskQueue}": it counts once one does. ${startWorker(taskQueue, workflowId)}\n`,
      );
    } else write(style.dim(`Watch it: holdfast watch ${quoted(workflowId)}\n`));
    return 0;
  });
}
