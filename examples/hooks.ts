// What runs around an agent's calls: a guard, a rewritten result, a note at the end.
import { defineAgent, defineTool, type Hooks } from 'holdfast';
import { reply, text, toolCall } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from './model.js';
import { serve } from './serve.js';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Finds a customer by name.',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `${name}, card 4111 1111 1111 1111, since 2019`,
});

const send = defineTool({
  name: 'send',
  description: 'Sends a mail.',
  input: z.object({ to: z.string(), body: z.string() }),
  run: ({ to }) => `sent to ${to}`,
});

const guard: Hooks = {
  name: 'guard',
  beforeToolCall({ name, arguments: { to } }) {
    if (name === 'send' && !String(to).endsWith('@shop.example')) return { block: 'mails stay in the shop' };
    return undefined;
  },
  afterToolCall: ({ text: said }) => ({ result: said.replaceAll(/\d{4}( \d{4}){3}/g, '(a card)') }),
};

const report: Hooks = {
  name: 'report',
  afterTurn: ({ type, iterations }) => console.log(`${type} after ${iterations} model calls`),
};

const clerk = defineAgent({
  name: 'clerk',
  instructions: 'You help the people of a shop.',
  model: modelOr([
    toolCall('look_up', { name: 'Ada' }),
    reply(
      toolCall('send', { to: 'ada@mail.example', body: 'Hello' }),
      toolCall('send', { to: 'bo@shop.example', body: 'Ada is a customer since 2019.' }),
    ),
    text('I have told Bo. I may not write to Ada.'),
  ]),
  tools: [lookUp, send],
  hooks: [guard, report],
});

await serve(clerk, async (client) => {
  const turn = await client.start('clerk', 'Tell Ada and Bo since when Ada is a customer.');
  for await (const event of turn.events()) {
    if (event.type === 'hook') console.log(`${event.hook}: ${event.did} ${event.text}`);
  }
  console.log((await turn.result()).text);
});
