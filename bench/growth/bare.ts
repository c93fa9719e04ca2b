// What posting alone costs: the naive loop without Temporal, in a process of its own, with the same model and bodies that
// grow alike. Arguments: model URL, rounds, and, where old rounds are left out, the bytes that the messages may take.
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { INSTRUCTIONS, promptOf } from '../model/task.js';
import { naiveActivities } from '../naive/activities.js';

const WARM_UP_ROUNDS = 10;
const [modelUrl = '', rounds = '', maxBytes = 'Infinity'] = process.argv.slice(2);
const { callModel, runTool } = naiveActivities(modelUrl);

async function turn(pages: number): Promise<void> {
  const opening: ChatCompletionMessageParam[] = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: promptOf(pages) },
  ];
  const messages = [...opening];
  const roundBytes: number[] = [];
  let bytes = 0;
  for (;;) {
    const reply = await callModel(messages);
    const [call] = reply.tool_calls ?? [];
    if (!call) return;
    const round: ChatCompletionMessageParam[] = [
      reply,
      { role: 'tool', tool_call_id: call.id, content: await runTool(call) },
    ];
    messages.push(...round);
    const added = round.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    roundBytes.push(added);
    bytes += added;
    while (bytes > Number(maxBytes)) {
      messages.splice(opening.length, round.length);
      bytes -= roundBytes.shift() ?? 0;
    }
  }
}

await turn(WARM_UP_ROUNDS);
const startedAt = performance.now();
await turn(Number(rounds));
process.send?.(performance.now() - startedAt);
