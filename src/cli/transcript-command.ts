import { withPlace } from './open-client.js';
import { findTurn } from './turns/find-turn.js';
import { recordedTurn } from './turns/recorded-turn.js';
import { transcriptMarkdown } from './turns/transcript-markdown.js';
import { endOf } from './turns/turn-end.js';

/**
 * `holdfast transcript`: all messages of a turn, from its event history. With `--json` the messages as one list, as
 * `start`'s `transcript` takes them.
 */
export async function transcriptCommand(name: string, options: { json?: boolean }): Promise<void> {
  const { turnId, turn, status } = await withPlace(async (place) => {
    const described = await findTurn(place, name);
    const { client } = place.client;
    const [turn, { status }] = await Promise.all([
      recordedTurn(client, described.workflowId),
      endOf(client, described),
    ]);
    return { turnId: described.workflowId, turn, status };
  });
  const { messages, deltaFrom, agent } = turn;
  const title = `${turnId}: ${agent}, ${status}`;
  process.stdout.write(
    options.json
      ? `${JSON.stringify(messages, undefined, 2)}\n`
      : transcriptMarkdown(title, messages, deltaFrom),
  );
}
