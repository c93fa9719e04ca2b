import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});
const agent = defineAgent({ name: 'tester', instructions: 'Test.', model: scriptedModel([]), tools: [echo] });

test('a reply without tool calls ends the turn as its result', async () => {
  const { outcome, transcript } = await testTurn(agent, 'hello', { model: scriptedModel([text('x')]) });
  expect(outcome).toMatchObject({ type: 'completed', text: 'x', iterations: 1 });
  expect(transcript.map((message) => message.role)).toEqual(['user', 'assistant']);
});

test('the rebuilt transcript is the same as the outcome', async () => {
  const model = scriptedModel([toolCall('echo', { text: 'a' }), text('done')]);
  const { outcome, transcript, calls } = await testTurn(agent, 'hello', { model });
  expect(outcome.messages).toEqual(transcript);
  expect(calls).toHaveLength(1);
});
