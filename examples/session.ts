// A conversation that lasts: turns of two agents, a message into a running turn, a fork, and its events over all turns.
import { defineAgent, defineTool } from 'holdfast';
import { text, toolCall } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from './model.js';
import { serve } from './serve.js';

let letGo = (): void => undefined;
const steered = new Promise<void>((resolve) => {
  letGo = resolve;
});

const lookUp = defineTool({
  name: 'look_up_order',
  description: 'Where an order is.',
  input: z.object({ orderId: z.string() }),
  idempotent: true,
  async run() {
    await steered;
    return 'at the depot in Ghent';
  },
});

const model = modelOr([
  text('Hello! Which order is it?'),
  toolCall('look_up_order', { orderId: 'W2378156' }),
  text('It is in Ghent, and goes to your neighbour.'),
  text('Parcels may wait for ten days.'),
  text('Order W2378156 is in Ghent, and goes to the neighbour; it may wait ten days.'),
]);
const support = defineAgent({ name: 'support', instructions: 'You help customers.', model, tools: [lookUp] });
const lawyer = defineAgent({ name: 'lawyer', instructions: 'You know the rules of parcels.', model });

await serve(
  support,
  async (client) => {
    const sessionId = `customer-${Date.now()}`;
    const session = client.session(sessionId, { title: 'The lost parcel' });
    const first = await session.send('support', 'My parcel is lost.', { id: 'message-1' });
    console.log((await first.result()).text);

    const second = await session.send('support', 'W2378156', { id: 'message-2' });
    for await (const event of second.events()) if (event.type === 'tool_started') break;
    await session.send('support', 'Send it to my neighbour.', { whileBusy: 'steer' });
    letGo();
    console.log((await second.result()).text);

    const third = await session.send('lawyer', 'How long may it wait?');
    console.log((await third.result()).text);

    // Where another process left off.
    const after = `${first.turnId}@4`;
    for await (const { event } of session.events({ after })) {
      if (event.type === 'turn_started') console.log(`${event.agent}: ${event.prompt}`);
      if (event.type === 'turn_ended' && event.turnId === third.turnId) break;
    }
    while ((await session.state()).running) await new Promise((resolve) => setTimeout(resolve, 50));

    const place = { before: (await session.transcript()).at(-1)?.id ?? '' };
    const fork = await session.fork(place, { title: 'What if' });
    const [{ messageCount, usage }, forked] = [await session.state(), await fork.state()];
    console.log(
      `${messageCount} messages, ${usage.modelCalls} model calls; the fork has ${forked.messageCount}`,
    );

    await session.setLimits({ cost: { usd: 10 }, turns: null });
    const { status, problem } = await session.compact({ focus: 'the order ids' });
    console.log(`compaction: ${problem ?? status}`);
    await session.close();
    await fork.close();
  },
  [lawyer],
);
