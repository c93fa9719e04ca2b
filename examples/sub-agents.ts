// An agent that hands tasks to two others. Each call of one is a turn of its own; both run side by side.
import { defineAgent, defineTool } from 'holdfast';
import { reply, text, toolCall } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from './model.js';
import { serve } from './serve.js';

const lookUp = defineTool({
  name: 'look_up',
  description: 'The price of a thing in a shop, in euros.',
  input: z.object({ thing: z.string() }),
  idempotent: true,
  run: ({ thing }) => ({ bicycle: 900, helmet: 60 })[thing] ?? 'not sold here',
});

const shopper = defineAgent({
  name: 'shopper',
  description: 'Finds out what a thing costs.',
  instructions: 'Look up what you are asked for. Answer with the price and nothing else.',
  model: modelOr([toolCall('look_up', { thing: 'bicycle' }), text('900 euros')]),
  tools: [lookUp],
  limits: { iterations: 5 },
});

const cyclist = defineAgent({
  name: 'cyclist',
  description: 'Knows what one needs to ride to work.',
  instructions: 'Answer in one sentence.',
  model: modelOr([text('A bicycle, and a helmet.')]),
});

const planner = defineAgent({
  name: 'planner',
  instructions: 'You plan. Ask the shopper and the cyclist at the same time.',
  model: modelOr([
    reply(
      toolCall('shopper', { task: 'What does a bicycle cost?' }),
      toolCall('cyclist', { task: 'What do I need to ride to work?' }),
    ),
    text('You need a bicycle and a helmet. The bicycle costs 900 euros.'),
  ]),
  tools: [shopper, cyclist],
});

await serve(planner, async (client) => {
  const turn = await client.start('planner', 'I want to ride to work. What will it cost me?');
  for await (const event of turn.events()) {
    if (event.type !== 'sub_agent' || event.event.type !== 'tool_started') continue;
    console.log(`in a sub-agent: ${event.event.summary}`);
  }
  const outcome = await turn.result();
  for (const { name, status, subAgent } of outcome.steps[0]?.calls ?? []) {
    console.log(`${name}: ${status}, ${subAgent?.iterations} model calls`);
  }
  console.log(`${outcome.text}\n${outcome.usage.modelCalls} model calls in all`);
});
