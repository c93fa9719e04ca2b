import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { toolCallsOf } from '../../src/shared/messages.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { type TestedTurn, testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, echoTool, servedModel, textOfResult } from './agents.js';

const textsOf = ({ calls }: TestedTurn) => calls.map(({ result }) => textOfResult(result));

// FA-020, MC-020, D9
test('an unknown tool is answered with the names of those there are, sorted', async () => {
  const agent = agentWith([countedTool('write', {}).tool, countedTool('bash', {}).tool]);
  const turn = await testTurn(agent, 'hello', { model: scriptedModel([toolCall('edit'), text('done')]) });
  expect(textsOf(turn)).toEqual(["Tool 'edit' is not available. Available tools: bash, write."]);
  expect(turn.calls[0]?.result).toMatchObject({ status: 'error', cause: 'unknown_tool' });
  expect(turn.outcome.type).toBe('completed');
});

// FA-020
test('an unknown tool of an agent without tools is answered with just that', async () => {
  const model = scriptedModel([toolCall('edit'), text('done')]);
  const turn = await testTurn(agentWith([]), 'hello', { model });
  expect(textsOf(turn)).toEqual(["Tool 'edit' is not available. No tools are currently available."]);
});

// FA-020
test('the model can correct a wrong name in its next reply', async () => {
  const echo = echoTool();
  const model = scriptedModel([toolCall('say'), toolCall('echo', { text: 'a' }), text('done')]);
  const turn = await testTurn(agentWith([echo.tool]), 'hello', { model });
  expect(turn.calls.map(({ result }) => result.status)).toEqual(['error', 'ok']);
});

// FA-021, D9
test('a name that differs from one tool only in case is that tool', async () => {
  const echo = echoTool();
  const model = scriptedModel([toolCall('ECHO', { text: 'a' }), text('done')]);
  const { calls } = await testTurn(agentWith([echo.tool]), 'hello', { model });
  expect(calls[0]).toMatchObject({ call: { name: 'echo', requestedName: 'ECHO' }, result: { status: 'ok' } });
  expect(echo.runs).toEqual([{ text: 'a' }]);
});

// FA-021
test('a name that differs from two tools only in case is not available', async () => {
  const [upper, lower] = [countedTool('Read', {}), countedTool('read', {})];
  const model = scriptedModel([toolCall('READ'), text('done')]);
  const turn = await testTurn(agentWith([upper.tool, lower.tool]), 'hello', { model });
  expect(textsOf(turn)).toEqual(["Tool 'READ' is not available. Available tools: Read, read."]);
  expect([...upper.runs, ...lower.runs]).toEqual([]);
});

// FA-021
test('an exact name goes before one that differs in case', async () => {
  const [upper, lower] = [countedTool('Read', {}), countedTool('read', {})];
  const model = scriptedModel([toolCall('read'), text('done')]);
  await testTurn(agentWith([upper.tool, lower.tool]), 'hello', { model });
  expect([upper.runs.length, lower.runs.length]).toEqual([0, 1]);
});

// FA-022, MC-020
test('an unknown call does not keep its siblings from running', async () => {
  const echo = echoTool();
  const asked = reply(toolCall('nope'), toolCall('echo', { text: 'a' }), toolCall('nope'));
  const model = scriptedModel([asked, text('done')]);
  const { calls } = await testTurn(agentWith([echo.tool]), 'hello', { model });
  expect(calls.map(({ result }) => result.status)).toEqual(['error', 'ok', 'error']);
  expect(echo.runs).toHaveLength(1);
});

// O08
test('names that no provider takes are told to the model, and go back in a form that they take', async () => {
  const names = ['browser.tabs.open', '$READFILE', 'x<|channel|>', '', 'n'.repeat(80)];
  const { server, model } = await servedModel([reply(...names.map((name) => toolCall(name))), text('done')]);
  const turn = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  const told = names.map((name) => `Tool '${name}' is not available. Available tools: echo.`);
  expect(textsOf(turn)).toEqual(told);
  expect(server.refusals).toEqual([]);
});

// D8, O06, SM-025, MC-027: ours runs each under an id of its own
test('calls of one reply with the same id, or none, are all run, each with a result of its own', async () => {
  const texts = ['first', 'second', 'third', 'fourth'];
  const same = texts.map((each, index) => toolCall('echo', { text: each }, { id: index < 2 ? 'z' : '' }));
  const { server, model } = await servedModel([reply(...same), text('done')]);
  const turn = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(textsOf(turn)).toEqual(texts);
  expect(new Set(turn.calls.map(({ call }) => call.id)).size).toBe(4);
  expect(server.refusals).toEqual([]);
});

// D8
test('an id that was used in an earlier round is made unique, and the one of the wire is kept', async () => {
  const model = scriptedModel([
    toolCall('echo', { text: 'first' }, { id: 'z' }),
    toolCall('echo', { text: 'second' }, { id: 'z' }),
    text('done'),
  ]);
  const { transcript } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  const ids = transcript.flatMap(toolCallsOf).map(({ id, providerId }) => [id, providerId]);
  expect(ids).toEqual([
    ['z', undefined],
    ['z__2', 'z'],
  ]);
});

// FA-034
test('two tools of one name are refused when the agent is defined', () => {
  const twice = () => agentWith([echoTool().tool, echoTool().tool]);
  expect(twice).toThrow('Agent tester: two of its tools are named echo.');
});

// O08: a name that Temporal or a provider can't take
test.each(['default', '__temporal', 'a.b', '', 'n'.repeat(65)])(
  'a tool named %j is refused when it is defined',
  (name) => {
    expect(() => countedTool(name, {})).toThrow(TypeError);
  },
);

test('an agent of a name that ids cannot hold is refused when it is defined', () => {
  expect(() => defineAgent({ name: 'a b', instructions: '', model: scriptedModel([]) })).toThrow(TypeError);
});

test('a tool whose input is no object is refused when it is defined', () => {
  expect(() => countedTool('date', { at: z.date() })).toThrow('Tool date: its input has no JSON schema.');
});
