// An agent and a turn.
import { defineAgent } from 'holdfast';
import { text } from 'holdfast/testing';
import { modelOr } from './model.js';
import { serve } from './serve.js';

const greeter = defineAgent({
  name: 'greeter',
  instructions: 'You greet people, in one sentence.',
  model: modelOr([text('Hello! Nothing that is said here gets lost.')]),
});

await serve(greeter, async (client) => {
  const turn = await client.start('greeter', 'Say hello.');
  const outcome = await turn.result();
  console.log(outcome.text);
  console.log(`${outcome.type}: ${outcome.usage.modelCalls} model call, turn ${turn.turnId}`);
});
