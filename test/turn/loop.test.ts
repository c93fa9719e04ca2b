import { expect, test } from 'vitest';
import { attempts, reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, echoTool, gate, rolesOf, servedModel } from './agents.js';

// FA-001, MC-001, D4
test('a reply without tool calls ends the turn as its result', async () => {
  const model = scriptedModel([text('x')]);
  const { outcome, transcript } = await testTurn(agentWith([]), 'hello', { model });
  expect(outcome).toMatchObject({ type: 'completed', text: 'x', iterations: 1 });
  expect(rolesOf(transcript)).toEqual(['user', 'assistant']);
  expect(model.requests).toHaveLength(1);
});

test('the rebuilt transcript is the same as the outcome', async () => {
  const model = scriptedModel([toolCall('echo', { text: 'a' }), text('done')]);
  const { outcome, transcript } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(outcome.messages).toEqual(transcript);
});

// FA-002, MC-002
test('a tool call is run and its result goes to the model, which ends the turn', async () => {
  const model = scriptedModel([toolCall('echo', { text: 'a' }), text('done')]);
  const { outcome, transcript } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(rolesOf(model.requests[1]?.messages ?? [])).toEqual(['user', 'assistant', 'tool']);
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 2 });
  expect(transcript).toHaveLength(4);
});

// FA-002, MC-002, on the wire
test('the wire carries the call and its result back to the provider', async () => {
  const { server, model } = await servedModel([toolCall('echo', { text: 'a' }, { id: 'c1' }), text('done')]);
  const { outcome } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(outcome.text).toBe('done');
  expect(server.requests[1]?.body.messages.slice(1)).toMatchObject([
    { role: 'user', content: 'hello' },
    { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'echo', arguments: '{"text":"a"}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'a' },
  ]);
});

// FA-003
test('a reply that asks for a tool is in the transcript while its tool still runs', async () => {
  const [running, done] = [gate(), gate()];
  const slow = countedTool('slow', {}, async () => {
    running.open();
    await done.opened;
  });
  const agent = agentWith([slow.tool], { model: scriptedModel([toolCall('slow'), text('done')]) });
  await withWorker(agent, async ({ start }) => {
    const turn = await start('hello');
    await running.opened;
    expect(rolesOf(await turn.transcript())).toEqual(['user', 'assistant']);
    done.open();
    await turn.result();
  });
});

// FA-004
test('two rounds in a row each run the tool that they ask for', async () => {
  const [first, second] = [countedTool('first', {}), countedTool('second', {})];
  const model = scriptedModel([toolCall('first'), toolCall('second'), text('done')]);
  const { calls } = await testTurn(agentWith([first.tool, second.tool]), 'hello', { model });
  expect(calls.map(({ result }) => result.name)).toEqual(['first', 'second']);
  expect([first.runs.length, second.runs.length]).toEqual([1, 1]);
});

// O04, D3, FA-012, FA-015, MC-006, MC-007: ours asks once more
test.each([
  ['has no content', reply()],
  ['announces tools, and has no call', reply({ finish: 'tool_calls' })],
])('a reply that %s is asked for once more', async (_name, empty) => {
  const { server, model } = await servedModel([attempts(empty, text('done'))]);
  const { outcome, transcript } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 1 });
  expect(rolesOf(transcript)).toEqual(['user', 'assistant']);
  expect(server.requests).toHaveLength(2);
});

// O04
test('a reply that is empty again ends the turn, by its name', async () => {
  const { server, model } = await servedModel([reply({ finish: 'tool_calls' })]);
  const failure = await testTurn(agentWith([echoTool().tool]), 'hello', { model }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ type: 'Model.EmptyReply' });
  expect(server.requests).toHaveLength(2);
});

// O03, D3, MC-008: ours runs them
test('complete calls are run though the finish reason on the wire is a wrong one, a strange one, or none', async () => {
  const echo = echoTool();
  const rounds = ['stop', 'other', null].map((finish) =>
    reply(text('I look.'), toolCall('echo', { text: 'a' }), toolCall('echo', { text: 'b' }), { finish }),
  );
  const { model } = await servedModel([...rounds, text('done')]);
  const { outcome, calls } = await testTurn(agentWith([echo.tool]), 'hello', { model });
  expect(calls.map(({ result }) => result.status)).toEqual(Array(6).fill('ok'));
  expect(echo.runs).toHaveLength(6);
  expect(outcome).toMatchObject({ text: 'done', iterations: 4 });
});

// O02, D3, FA-014: ours refuses
test('a call that the output limit cut is not run, and the model is told', async () => {
  const write = countedTool('write', {});
  const cut = reply(toolCall('write', '{"path":"a","content":"hel'), { finish: 'length' });
  const { model } = await servedModel([cut, text('done')]);
  const { outcome, calls } = await testTurn(agentWith([write.tool]), 'hello', { model });
  expect(calls[0]?.result).toMatchObject({ status: 'error', cause: 'cut_by_output_limit' });
  expect(write.runs).toEqual([]);
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
});

// O02
test('three replies in a row that the output limit cut end the turn as truncated', async () => {
  const cut = reply(toolCall('echo', '{"text":"hel'), { finish: 'length' });
  const model = scriptedModel([cut, cut, cut, text('never asked')]);
  const { outcome } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(outcome).toMatchObject({ type: 'truncated', iterations: 3 });
});

// D3: a plain text that was cut is no answer
test('a text that the output limit cut ends the turn as truncated', async () => {
  const model = scriptedModel([reply(text('It is on its w'), { finish: 'length' })]);
  const { outcome } = await testTurn(agentWith([]), 'hello', { model });
  expect(outcome).toMatchObject({ type: 'truncated', text: 'It is on its w' });
});

// D3
test('calls of a reply that a content filter stopped are not run, and the turn ends as refused', async () => {
  const echo = echoTool();
  const filtered = reply(toolCall('echo', { text: 'a' }), { finish: 'content_filter' });
  const { outcome, calls } = await testTurn(agentWith([echo.tool]), 'hello', {
    model: scriptedModel([filtered]),
  });
  expect(outcome.type).toBe('refused');
  expect(calls[0]?.result).toMatchObject({ status: 'error', cause: 'cut_by_refusal' });
  expect(echo.runs).toEqual([]);
});
