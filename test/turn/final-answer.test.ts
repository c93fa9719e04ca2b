import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/shared/json.js';
import { textOf } from '../../src/shared/messages.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { heldReply, rolesOf, textOfResult } from './agents.js';
import { fits, outputTurn, untilAsked } from './output-turn.js';

const given = (said: Json) => toolCall('final_answer', { answer: said });
const done = given('It is refunded.');
const byTool = { inWords: true, agent: { finalAnswer: true } };
const byToolWithOutput = { agent: { finalAnswer: true } };
const NO_CALL = /^Your reply called no tool\./;

// SM-080
test('what the tool is given is the answer, and ends the turn', async () => {
  const { outcome, transcript, bodies } = await outputTurn([toolCall('echo', { text: 'a' }), done], byTool);
  expect(outcome).toMatchObject({ type: 'completed', text: 'It is refunded.', iterations: 2 });
  expect(outcome.output).toBeUndefined();
  expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
  expect(bodies[0]?.tools?.map(({ function: { name } }) => name)).toEqual(['echo', 'final_answer']);
  expect(outcome.steps.at(-1)?.calls).toMatchObject([{ name: 'final_answer', status: 'ok' }]);
});

test('an output is what the tool is given, checked as any arguments are, and no schema is sent beside it', async () => {
  const script = [given({ resolved: 'yes' }), given(fits)];
  const { outcome, transcript, bodies } = await outputTurn(script, {
    ...byToolWithOutput,
    model: { structuredOutput: true },
  });
  expect(outcome).toMatchObject({
    type: 'completed',
    output: fits,
    text: JSON.stringify(fits),
    iterations: 2,
  });
  const [, , first] = transcript;
  expect(first?.role === 'tool' && textOfResult(first.content[0])).toContain(
    'answer.resolved: Invalid input: expected boolean, received string',
  );
  expect(bodies[0]?.response_format).toBeUndefined();
});

// SM-080
test('null is an answer as any other', async () => {
  const agent = { finalAnswer: true, output: z.json() };
  const { outcome } = await outputTurn([given(null)], { agent });
  expect(outcome).toMatchObject({ type: 'completed', output: null, text: 'null', iterations: 1 });
});

// SM-081, with its deviation: each call gets its result, and it is asked again
test('beside other calls it is refused, they run, and the turn goes on', async () => {
  const script = [reply(toolCall('echo', { text: 'a' }), done), done];
  const { outcome, transcript } = await outputTurn(script, byTool);
  expect(outcome).toMatchObject({ type: 'completed', iterations: 2 });
  expect(transcript[2]?.content).toMatchObject([
    { name: 'echo', status: 'ok', content: [{ text: 'a' }] },
    { name: 'final_answer', status: 'error', cause: 'not_alone' },
  ]);
});

describe('a reply without a call', () => {
  // D4
  test('does not end the turn: the call is asked for, with the tools at hand', async () => {
    const { outcome, transcript, bodies } = await outputTurn([text('Done.'), done], byTool);
    expect(outcome).toMatchObject({ type: 'completed', text: 'It is refunded.', iterations: 2 });
    expect(transcript[2] && textOf(transcript[2])).toMatch(NO_CALL);
    expect(bodies[1]?.tool_choice).toBeUndefined();
  });

  test('is followed by three such requests, after a round of tools by three more, then ends it', async () => {
    const idle = [text('1'), text('2'), text('3')];
    const script = [...idle, toolCall('echo', { text: 'a' }), ...idle, text('4'), done];
    const { outcome } = await outputTurn(script, byTool);
    expect(outcome).toMatchObject({ type: 'invalid_output', text: '4', iterations: 8 });
  });
});

// SM-002
test('at the last model call that the limit allows it completes the turn', async () => {
  const { outcome } = await outputTurn([done], {
    inWords: true,
    agent: { finalAnswer: true, limits: { iterations: 1 } },
  });
  expect(outcome).toMatchObject({ type: 'completed', iterations: 1 });
});

test('over several runs of the workflow it is the same', async () => {
  const agent = { finalAnswer: true, iterationsPerRun: 1 };
  const { outcome } = await outputTurn([toolCall('echo', { text: 'a' }), text('Done.'), given(fits)], {
    agent,
  });
  expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 3 });
});

test('a steer that comes while it is given goes first, and what is given then is the answer', async () => {
  const first = heldReply(reply(given('It waits.')));
  const { outcome, transcript } = await outputTurn([first.entry, done], {
    ...byTool,
    during: async ({ turn, server }) => {
      await untilAsked(server, 1);
      await turn.steer('do it');
      first.answer();
    },
  });
  expect(outcome).toMatchObject({ type: 'completed', text: 'It is refunded.', iterations: 2 });
  expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool']);
});
