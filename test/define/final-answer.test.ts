import { expect, test } from 'vitest';
import { z } from 'zod';
import { planReply } from '../../src/activities/plan.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { finalAnswerTool } from '../../src/define/final-answer-tool.js';
import type { Json } from '../../src/shared/json.js';
import type { StopReason } from '../../src/shared/messages.js';
import { countedTool } from '../turn/agents.js';

function call(name: string, args: unknown) {
  return { type: 'tool_call' as const, id: '', name, arguments: JSON.stringify(args) };
}

async function planned(
  output: z.ZodType | undefined,
  content: ReturnType<typeof call>[],
  stopReason: StopReason = 'tool_use',
) {
  const response = { content, stopReason, model: 'm' };
  const { calls } = await planReply('a', response, [finalAnswerTool(output)], []);
  return calls;
}

// SM-080
test.each<Json>([null, 0, '', [1, 'two'], { deep: { list: [] } }])(
  'an answer may be any JSON: %j',
  async (answer) => {
    expect(await planned(z.json(), [call('final_answer', { answer })])).toMatchObject([
      { do: 'final', answer },
    ]);
  },
);

test('an answer is as the schema gives it out', async () => {
  const output = z.object({ name: z.string().trim(), count: z.int().default(3) });
  const [final] = await planned(output, [call('final_answer', { answer: { name: ' a ' } })]);
  expect(final).toMatchObject({ do: 'final', answer: { name: 'a', count: 3 } });
});

test('without an output it is a text that is not empty', async () => {
  for (const args of [{}, { answer: '' }, { answer: 7 }, { answer: 'a', more: 1 }]) {
    expect(await planned(undefined, [call('final_answer', args)])).toMatchObject([
      { do: 'answer', result: { cause: 'invalid_arguments' } },
    ]);
  }
});

test('a name that differs in nothing but case is meant', async () => {
  expect(await planned(undefined, [call('Final_Answer', { answer: 'a' })])).toMatchObject([{ do: 'final' }]);
});

// SM-081
test.each([
  ['another answer', call('final_answer', { answer: 'b' })],
  ['a call of what is no tool', call('nothing', {})],
])('beside %s it is refused', async (_name, other) => {
  const [first] = await planned(undefined, [call('final_answer', { answer: 'a' }), other]);
  expect(first).toMatchObject({ do: 'answer', result: { status: 'error', cause: 'not_alone' } });
});

test('one that was cut or filtered gives no answer', async () => {
  const given = [call('final_answer', { answer: 'a' })];
  expect(await planned(undefined, given, 'max_tokens')).toMatchObject([
    { result: { cause: 'cut_by_output_limit' } },
  ]);
  expect(await planned(undefined, given, 'refusal')).toMatchObject([{ result: { cause: 'cut_by_refusal' } }]);
});

// FA-034, SM-102
test('an agent whose own tool has its name is refused', () => {
  const { tool } = countedTool('final_answer', {});
  const options = { name: 'a', instructions: '', model: 'm', tools: [tool] };
  expect(() => defineAgent({ ...options, finalAnswer: true })).toThrow(
    'Agent a: two of its tools are named final_answer.',
  );
  expect(defineAgent(options).tools).toHaveLength(1);
});

test('a check that is none is refused by its place', () => {
  const checks = [() => true, 'be nice' as unknown as () => boolean];
  expect(() => defineAgent({ name: 'a', instructions: '', model: 'm', checks })).toThrow(
    'Agent a, checks[1]: ',
  );
});
