import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AnswerCheck } from '../../src/define/answer-checks.js';
import { textOf } from '../../src/shared/messages.js';
import { fault, type Script, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { aborted, agentWith, echoTool, gate } from './agents.js';
import { manyAgents } from './many-agents.js';

const output = z.object({ euros: z.number() });
const begun = gate();
const modest: AnswerCheck = async (answer, { signal }) => {
  const { euros } = output.parse(answer);
  if (euros === 7) {
    begun.open();
    await aborted(signal);
  }
  return euros < 100 || 'That is too much.';
};
const { start, end } = manyAgents((model) => {
  const tools = [echoTool().tool];
  const options = { model, output, closing: 'answer' as const, limits: { iterations: 1 } };
  return [
    agentWith(tools, options),
    agentWith(tools, { ...options, name: 'by_tool', finalAnswer: true }),
    agentWith(tools, { ...options, name: 'checked', checks: [modest] }),
    agentWith(tools, { ...options, name: 'looping', limits: {}, loopGuard: { tellAfter: 2, stopAfter: 2 } }),
  ];
});
const call = toolCall('echo', { text: 'a' });

/** A turn that makes one round, and closes with that. */
async function closed(closing: Script[number], agent = 'tester', rounds = 1) {
  const model = scriptedModel([...Array.from({ length: rounds }, () => call), closing]);
  const { outcome } = await end(await start(agent, model));
  const last = model.requests.at(-1);
  const asked = last?.messages.at(-1);
  return { outcome, asked: asked ? textOf(asked) : '', last };
}

test("an agent's output is asked for by its schema, and what fits is the outcome's, whose type stays", async () => {
  const { outcome, asked, last } = await closed(text('{"euros":42}'));
  expect(outcome).toMatchObject({ type: 'max_iterations', output: { euros: 42 }, text: '{"euros":42}' });
  expect(asked).toMatch(/no more tools can be called.*It must be JSON.*schema:\n\{.*"euros"/s);
  expect(last?.output?.schema).toMatchObject({ required: ['euros'] });
});

test('so it is where the loop guard has ended the turn, and in a block of Markdown', async () => {
  const { outcome } = await closed(text('There:\n```json\n{"euros":1}\n```'), 'looping', 2);
  expect(outcome).toMatchObject({ type: 'loop_detected', output: { euros: 1 } });
});

test('where the answer is given by a tool, which can not be called any more, the text is to be what it would be given', async () => {
  const { outcome, asked } = await closed(text('{"euros":2}'), 'by_tool');
  expect(asked).toContain('what you would give final_answer as the argument "answer"');
  expect(outcome).toMatchObject({ type: 'max_iterations', output: { euros: 2 } });
});

test.each([
  ['does not fit', text('{"euros":"many"}')],
  ['is prose', text('About forty.')],
  ['fails', fault({ status: 401 })],
  ['calls a tool', call],
])('one that %s is no output', async (_, closing) => {
  const { outcome } = await closed(closing);
  expect(outcome.type).toBe('max_iterations');
  expect(outcome.output).toBeUndefined();
});

// SM-083, with its deviation
test('the checks are asked, and what they refuse is text alone', async () => {
  expect((await closed(text('{"euros":99}'), 'checked')).outcome.output).toEqual({ euros: 99 });
  const { outcome } = await closed(text('{"euros":100}'), 'checked');
  expect(outcome).toMatchObject({ type: 'max_iterations', text: '{"euros":100}' });
  expect(outcome.output).toBeUndefined();
});

test('an interrupt ends a check, and the turn', async () => {
  const turn = await start('checked', scriptedModel([call, text('{"euros":7}')]));
  await begun.opened;
  await turn.interrupt('enough');
  const { outcome } = await end(turn);
  expect(outcome).toMatchObject({ type: 'interrupted', text: '{"euros":7}' });
  expect(outcome.output).toBeUndefined();
});
