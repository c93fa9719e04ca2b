import { expect, test } from 'vitest';
import type { Message } from '../../src/shared/messages.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { assistant, resultOf, tool, user } from '../shared/transcripts.js';
import { agentWith, countedTool, rolesOf, servedModel, textOfResult } from './agents.js';

// The scripted model's answer is chosen by how many assistant messages there are before it.
const scriptAfter = (messages: readonly Message[]) => [
  ...messages.filter((message) => message.role === 'assistant').map(() => text('long ago')),
  text('done'),
];

/** A turn that goes on from `handedIn`, with a provider that refuses what is not valid. */
async function goOnFrom(handedIn: Message[]) {
  const lookUp = countedTool('look_up', {});
  const { server, model } = await servedModel(scriptAfter(handedIn));
  const turn = await testTurn(agentWith([lookUp.tool]), 'and now?', { model, transcript: handedIn });
  expect(server.refusals).toEqual([]);
  expect(turn.outcome).toMatchObject({ type: 'completed', text: 'done' });
  return { ...turn, runs: lookUp.runs, results: turn.calls.map(({ result }) => result) };
}

// FA-062
test('a valid transcript is kept as it is, before the prompt', async () => {
  const handedIn = [user('hello'), assistant('a', 'b'), tool('a', 'b')];
  const { transcript } = await goOnFrom(handedIn);
  expect(transcript.slice(0, 3)).toEqual(handedIn);
  expect(transcript[3]).toMatchObject({ role: 'user', content: [{ text: 'and now?' }] });
});

test('only what the turn added is in its outcome', async () => {
  const { outcome } = await goOnFrom([user('hello'), assistant('a'), tool('a')]);
  expect(rolesOf(outcome.messages)).toEqual(['user', 'assistant']);
  expect(outcome).toMatchObject({ messageCount: 2, iterations: 1 });
});

// FA-048
test('a call that has its result is not run again', async () => {
  const { runs } = await goOnFrom([user(), assistant('a'), tool('a')]);
  expect(runs).toEqual([]);
});

// FA-060, D17
test('a call without a result at the end is told as interrupted, and not run', async () => {
  const { results, runs } = await goOnFrom([user(), assistant('a')]);
  expect(results).toMatchObject([{ callId: 'a', status: 'interrupted', cause: 'no_result_recorded' }]);
  expect(runs).toEqual([]);
});

// FA-061, D17
test('of a round that is answered in part, the finished result is kept', async () => {
  const { results } = await goOnFrom([user(), assistant('a', 'b'), tool(resultOf('b', 'found'))]);
  expect(results.map(({ callId, status }) => [callId, status])).toEqual([
    ['a', 'interrupted'],
    ['b', 'ok'],
  ]);
  expect(textOfResult(results[1])).toBe('found');
});

// FA-061, D17
test('a call without a result in the middle is told as interrupted', async () => {
  const { results, transcript } = await goOnFrom([
    user(),
    assistant('a'),
    user('well?'),
    assistant('b'),
    tool('b'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['interrupted', 'ok']);
  expect(rolesOf(transcript.slice(0, 4))).toEqual(['user', 'assistant', 'tool', 'user']);
});

// FA-061, D17
test('results without a call are dropped', async () => {
  const { transcript } = await goOnFrom([tool('gone'), user(), tool('never was')]);
  expect(rolesOf(transcript)).toEqual(['user', 'user', 'assistant']);
});

// D17
test('of two results of one call the finished one is kept', async () => {
  const interrupted = { ...resultOf('a', 'interrupted'), status: 'interrupted' as const };
  const { results } = await goOnFrom([user(), assistant('a'), tool(interrupted, resultOf('a', 'found'))]);
  expect(results.map(textOfResult)).toEqual(['found']);
});

// D8, D17
test('an id that two rounds share is made unique, and each keeps its result', async () => {
  const { results } = await goOnFrom([
    assistant('a'),
    tool(resultOf('a', 'first')),
    assistant('a'),
    tool(resultOf('a', 'second')),
  ]);
  expect(results.map((result) => [result.callId, textOfResult(result)])).toEqual([
    ['a', 'first'],
    ['a__2', 'second'],
  ]);
});

test("a turn's own instructions take the place of the agent's", async () => {
  const model = scriptedModel([text('done')]);
  const { transcript } = await testTurn(agentWith([]), 'hello', { model, instructions: 'Answer in rhyme.' });
  expect(rolesOf(transcript)).toEqual(['system', 'user', 'assistant']);
  expect(model.requests[0]).toMatchObject({
    instructions: '',
    messages: [{ role: 'system' }, { role: 'user' }],
  });
});
