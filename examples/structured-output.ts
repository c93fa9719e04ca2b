// An agent whose last reply is checked against a schema, and whose outcome has it as a typed value.
import { defineAgent } from 'holdfast';
import { text } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from './model.js';
import { serve } from './serve.js';

const triage = defineAgent({
  name: 'triage',
  instructions: 'You sort what customers write.',
  model: modelOr([text('{"topic":"delivery","urgent":true,"summary":"The parcel is two weeks late."}')]),
  output: z.object({
    topic: z.enum(['delivery', 'payment', 'other']),
    urgent: z.boolean(),
    summary: z.string(),
  }),
});

await serve(triage, async (client) => {
  const turn = await client.start<typeof triage>(
    'triage',
    'My parcel is two weeks late, and I leave tomorrow!',
  );
  const outcome = await turn.result();
  if (outcome.type !== 'completed') throw new Error(`No answer: ${outcome.type}`);
  const { topic, urgent, summary } = outcome.output;
  console.log(`${urgent ? 'now' : 'later'}, ${topic}: ${summary}`);
});
