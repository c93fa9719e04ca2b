import { defineAgent } from 'holdfast';
import { text } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from '../model.js';

export const analyst = defineAgent({
  name: 'analyst',
  instructions: 'You report on the sales of a shop.',
  model: modelOr([text('{"headline":"Sales rose by a tenth"}')]),
  output: z.object({ headline: z.string() }),
});
