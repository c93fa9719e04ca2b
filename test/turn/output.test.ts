import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Message, textOf } from '../../src/shared/messages.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, rolesOf, servedModel } from './agents.js';
import { ASK, answer, fits, json, outputTurn, prose } from './output-turn.js';

function textAt(transcript: readonly Message[], index: number): string {
  const message = transcript[index];
  return message ? textOf(message) : '';
}

describe('where the provider takes a schema for its answers', () => {
  const model = { structuredOutput: true };

  // FA-080
  test('each request has it beside the tools, and the final text is the output', async () => {
    const { outcome, bodies } = await outputTurn([toolCall('echo', { text: 'a' }), json], { model });
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 2 });
    for (const { response_format, tools, tool_choice } of bodies) {
      expect(response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true },
      });
      expect(tools).toHaveLength(1);
      expect(tool_choice).toBeUndefined();
    }
  });

  test('one that strict mode does not know is sent all the same, and not as a strict one', async () => {
    const output = z.object({ note: z.string().optional() });
    const { outcome, bodies } = await outputTurn([text('{}')], { model, agent: { output } });
    expect(outcome).toMatchObject({ type: 'completed', output: {} });
    expect(bodies[0]?.response_format).toMatchObject({ json_schema: { strict: false } });
  });

  test('an output that is no object is asked for in words, as it takes objects only', async () => {
    const script = [prose, text('["a","b"]')];
    const { outcome, bodies } = await outputTurn(script, { model, agent: { output: z.array(z.string()) } });
    expect(outcome).toMatchObject({ type: 'completed', output: ['a', 'b'] });
    expect(bodies.map(({ response_format }) => response_format)).toEqual([undefined, undefined]);
  });
});

describe('where it does not', () => {
  // FA-081
  test('an answer in prose is followed by one more call, without tools, that asks for JSON', async () => {
    const { outcome, transcript, bodies } = await outputTurn([prose, json]);
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 2 });
    expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(textAt(transcript, 2)).toMatch(ASK);
    expect(textAt(transcript, 2)).not.toContain('Your last answer did not');
    expect(bodies.map(({ tool_choice }) => tool_choice)).toEqual([undefined, 'none']);
    expect(bodies.map(({ response_format }) => response_format)).toEqual([undefined, undefined]);
  });

  // FA-081: once
  test('an agent with an output of its schema tells the schema in that call', async () => {
    const { transcript } = await outputTurn([prose, json]);
    expect(textAt(transcript, 2)).toContain('"required":["resolved","summary"]');
  });

  // FA-082: ours asks here, too
  test('an agent without tools is asked as well', async () => {
    const { server, model } = await servedModel([prose, json]);
    const outcome = await withWorker(agentWith([], { model, output: answer }), async ({ start }) =>
      (await start('Refund it.')).result(),
    );
    expect(outcome).toMatchObject({ type: 'completed', output: fits });
    expect(server.requests[1]?.body.tool_choice).toBeUndefined();
  });

  // FA-083
  test('JSON after a round of tools needs no further call', async () => {
    const { outcome, bodies } = await outputTurn([toolCall('echo', { text: 'a' }), json]);
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 2 });
    expect(bodies).toHaveLength(2);
  });

  // FA-083: without any schema on the wire, prose is asked for as it always is
  test('prose after a round of tools is asked for as JSON', async () => {
    const { outcome } = await outputTurn([toolCall('echo', { text: 'a' }), prose, json]);
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 3 });
  });

  test.each([
    ['plain', JSON.stringify(fits)],
    ['in a block', `\`\`\`json\n${JSON.stringify(fits, null, 2)}\n\`\`\``],
    ['in a block without a language', `\n\`\`\`\r\n${JSON.stringify(fits)}\r\n\`\`\`\n`],
  ])('JSON that comes unasked, %s, is the output', async (_name, written) => {
    const { outcome } = await outputTurn([text(written)]);
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 1 });
  });

  test('JSON that ended at a stop sequence is the output, too', async () => {
    const { outcome } = await outputTurn([reply(json, { finish: 'stop_sequence' })]);
    expect(outcome).toMatchObject({ type: 'completed', output: fits });
  });
});

describe('an answer that does not fit', () => {
  test('is asked for again, with the places and what was expected there', async () => {
    const wrong = text('{"resolved":"yes"}');
    const { outcome, transcript } = await outputTurn([wrong, json]);
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 2 });
    const asked = textAt(transcript, 2);
    expect(asked).toContain(
      'Your last answer did not:\nresolved: Invalid input: expected boolean, received string',
    );
    expect(asked).toContain('\nsummary: Invalid input: expected string, and it is missing');
  });

  test('is told that it is no JSON once it was asked for it', async () => {
    const { transcript } = await outputTurn([prose, prose, json]);
    expect(textAt(transcript, 4)).toContain('Your last answer did not:\n(the answer): it is not JSON (');
  });

  test('is told no more problems than a model can read', async () => {
    const output = z.array(z.string());
    const numbers = text(JSON.stringify(Array.from({ length: 5000 }, (_, index) => index)));
    const { transcript } = await outputTurn([numbers, text('[]')], { agent: { output } });
    expect(textAt(transcript, 2)).toContain('\nand 4980 more problems');
  });

  test('three times after being asked for ends the turn as invalid_output, with its text', async () => {
    const { outcome } = await outputTurn([prose, prose, prose, text('Sorry.'), json]);
    expect(outcome).toMatchObject({ type: 'invalid_output', text: 'Sorry.', iterations: 4 });
    expect(outcome.output).toBeUndefined();
  });

  test('at the limit of iterations ends the turn as max_iterations, with nothing asked behind it', async () => {
    const { outcome, transcript } = await outputTurn([prose, json], { agent: { limits: { iterations: 1 } } });
    expect(outcome).toMatchObject({ type: 'max_iterations', text: 'I have refunded it.', iterations: 1 });
    expect(rolesOf(transcript)).toEqual(['user', 'assistant']);
  });

  test('because the output limit cut it ends the turn as truncated', async () => {
    const { outcome } = await outputTurn([reply(text('{"resolved":tr'), { finish: 'length' })]);
    expect(outcome).toMatchObject({ type: 'truncated', iterations: 1 });
  });

  test('because a filter stopped it ends the turn as refused', async () => {
    const { outcome } = await outputTurn([prose, reply(text('I can not'), { finish: 'content_filter' })]);
    expect(outcome).toMatchObject({ type: 'refused', iterations: 2 });
  });
});

test('what the schema adds to an answer, and takes from it, is in the output', async () => {
  const output = z.object({ summary: z.string().trim(), count: z.int().default(3) });
  const { outcome } = await outputTurn([text('{"summary":" a ","mood":"fine"}')], { agent: { output } });
  expect(outcome.output).toEqual({ summary: 'a', count: 3 });
});

test('a check of the schema that throws is told to the model as a problem', async () => {
  const output = z.object({ a: z.string() }).refine(({ a }) => {
    if (a === 'bad') throw new Error('the check is broken');
    return true;
  });
  const { outcome, transcript } = await outputTurn([text('{"a":"bad"}'), text('{"a":"good"}')], {
    agent: { output },
  });
  expect(outcome.output).toEqual({ a: 'good' });
  expect(textAt(transcript, 2)).toContain('the check itself failed (the check is broken)');
});

test('a model that calls a tool where it was asked for JSON gets its result, and the turn goes on', async () => {
  const { outcome } = await outputTurn([prose, toolCall('echo', { text: 'a' }), json]);
  expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 3 });
});
