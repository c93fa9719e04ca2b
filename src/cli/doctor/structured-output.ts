import { z } from 'zod';
import { outputOf } from '../../activities/output.js';
import { jsonSchema } from '../../define/json-schema.js';
import { userSays, wasRefused } from './ask.js';
import { type Finding, none, ok } from './check.js';
import type { Endpoint } from './endpoint.js';
import type { AskModel } from './findings.js';

const type = z.object({ city: z.string(), country: z.string() });
const schema = jsonSchema('The output of the check', type, 'output');
const IN_WORDS =
  'Nothing to do: an agent with an output asks for it in words, in one more call, and checks it.';

/** The question says nothing of JSON: it comes only where the server takes `response_format` seriously. */
export async function structuredOutput({ isOpenAi }: Endpoint, askModel: AskModel): Promise<Finding> {
  const question = [userSays('Which city is the capital of France?')];
  const output = { name: 'capital', schema, strict: true };
  const asked = await askModel(question, { output }, { structuredOutput: true });
  if (wasRefused(asked)) return none(`The server refuses response_format. ${asked.problem}`, IN_WORDS);
  const checked = await outputOf({ type, schema, strict: true }, asked.message, true);
  if (!checked?.ok)
    return none('The server ignores response_format: the answer is no JSON of the schema.', IN_WORDS);
  const works = ok('The answer is JSON of the schema that response_format had.');
  return isOpenAi
    ? works
    : { ...works, advice: 'Agents with an output use it with openai({ structuredOutput: true }).' };
}
