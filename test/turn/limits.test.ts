import { expect, test } from 'vitest';
import { reply, type Script, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, echoTool, rolesOf } from './agents.js';

const forEver: Script = Array.from({ length: 9 }, (_, index) =>
  reply(text(`round ${index + 1}`), toolCall('echo', { text: 'again' })),
);

// D1, MC-003; FA-005 and FA-006 are one call more
test('a limit of n iterations means n model calls, and the tools of the last reply are run', async () => {
  const echo = echoTool();
  const model = scriptedModel(forEver);
  const agent = agentWith([echo.tool], { limits: { iterations: 3 } });
  const { outcome } = await testTurn(agent, 'hello', { model });
  expect(outcome).toMatchObject({ type: 'max_iterations', iterations: 3 });
  expect(model.requests).toHaveLength(3);
  expect(echo.runs).toHaveLength(3);
});

// FA-008
test('the results of the round that reaches the limit are in the transcript', async () => {
  const agent = agentWith([echoTool().tool], { limits: { iterations: 1 } });
  const { transcript, calls } = await testTurn(agent, 'hello', { model: scriptedModel(forEver) });
  expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'tool']);
  expect(calls[0]?.result.status).toBe('ok');
});

// FA-007, D2: nothing is thrown, and the last text is not lost
test('at the limit the outcome has the text of the last reply', async () => {
  const agent = agentWith([echoTool().tool], { limits: { iterations: 2 } });
  const { outcome } = await testTurn(agent, 'hello', { model: scriptedModel(forEver) });
  expect(outcome).toMatchObject({ type: 'max_iterations', text: 'round 2' });
});

// FA-009
test("a turn's own limit goes before the agent's", async () => {
  const agent = agentWith([echoTool().tool], { limits: { iterations: 3 } });
  const model = scriptedModel(forEver);
  await testTurn(agent, 'hello', { model, limits: { iterations: 1 } });
  expect(model.requests).toHaveLength(1);
});

// SM-002
test('an answer in the very last model call that is allowed completes the turn', async () => {
  const model = scriptedModel([toolCall('echo', { text: 'a' }), text('done')]);
  const agent = agentWith([echoTool().tool], { limits: { iterations: 2 } });
  const { outcome } = await testTurn(agent, 'hello', { model });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 2 });
  expect(model.requests).toHaveLength(2);
});

// FA-010
test('rounds that ask for an unknown tool count against the limit', async () => {
  const model = scriptedModel([toolCall('nope'), toolCall('nope'), toolCall('nope')]);
  const agent = agentWith([], { limits: { iterations: 2 } });
  const { outcome } = await testTurn(agent, 'hello', { model });
  expect(outcome.type).toBe('max_iterations');
  expect(model.requests).toHaveLength(2);
});

// SM-008
test("each round of the model's own mistakes counts against the limit", async () => {
  const failing = countedTool('failing', {}, () => {
    throw new Error('no');
  });
  const mistakes = [toolCall('failing'), toolCall('echo', '{'), toolCall('echo', {}), toolCall('nope')];
  const model = scriptedModel([...mistakes, text('never asked')]);
  const agent = agentWith([failing.tool, echoTool().tool], { limits: { iterations: 4 } });
  const { outcome, calls } = await testTurn(agent, 'hello', { model });
  expect(outcome).toMatchObject({ type: 'max_iterations', iterations: 4 });
  expect(calls.map(({ result }) => result.status)).toEqual(['error', 'error', 'error', 'error']);
});
