import { describe, expect, test } from 'vitest';
import { textContent } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { fault, reply, type Script, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { user } from '../shared/transcripts.js';
import { agentWith, countedTool, echoTool, rolesOf } from './agents.js';
import { manyAgents } from './many-agents.js';

const poll = countedTool('poll', {}, () => 'not yet', { repeatable: true });
const progress = { done: 0 };
const look = countedTool('look', {}, () => {
  progress.done += 1;
  return `${progress.done} of 100`;
});
const tools = [echoTool().tool, poll.tool, look.tool];
const { start, end } = manyAgents((model) => [
  agentWith(tools, { model }),
  agentWith(tools, { name: 'unguarded', model, loopGuard: false, limits: { iterations: 10 } }),
  agentWith(tools, { name: 'closer', model, closing: 'answer', limits: { iterations: 2 } }),
  agentWith(tools, { name: 'planner', model, planning: { every: 2 }, limits: { iterations: 3 } }),
  agentWith(tools, { name: 'planning_once', model, planning: {} }),
  agentWith(tools, { name: 'planning_in_little', model, planning: {}, compaction: { window: 2000 } }),
  agentWith(tools, {
    name: 'plans_and_closes',
    model,
    planning: {},
    closing: 'answer',
    limits: { iterations: 1 },
  }),
]);
const again = (count: number, call = toolCall('echo', { text: 'same' })): Script =>
  Array.from({ length: count }, () => call);
const said = (model: ReturnType<typeof scriptedModel>, index: number) =>
  (model.requests[index]?.messages ?? []).flatMap((message) =>
    message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );

describe('the same call with the same arguments again and again', () => {
  test('is told to the model after three times, and ends the turn after eight', async () => {
    const model = scriptedModel(again(20));
    const { outcome, transcript } = await end(await start('tester', model));
    expect(outcome).toMatchObject({ type: 'loop_detected', iterations: 8 });
    expect(model.requests).toHaveLength(8);
    expect(said(model, 2).at(-1)).toBe('hello');
    expect(said(model, 3).at(-1)).toMatch(/made the same call 3 times in a row.*echo.*After 5 more times/);
    expect(transcript.at(-1)?.role).toBe('tool');
  });

  test('is no loop where the model does something else once it is told', async () => {
    const model = scriptedModel([...again(3), toolCall('echo', { text: 'another' }), text('done')]);
    const { outcome } = await end(await start('tester', model));
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });

  test('of two calls that take turns ends the turn, too', async () => {
    const pair = [toolCall('echo', { text: 'a' }), toolCall('echo', { text: 'b' })];
    const model = scriptedModel(Array.from({ length: 20 }, () => pair).flat());
    const { outcome } = await end(await start('tester', model));
    expect(outcome).toMatchObject({ type: 'loop_detected', iterations: 16 });
  });

  test('is no loop where the tool may be repeated, or where its results differ', async () => {
    const polled = scriptedModel([...again(9, toolCall('poll')), text('done')]);
    const watched = scriptedModel([...again(9, toolCall('look')), text('done')]);
    const turns = [await start('tester', polled), await start('tester', watched)];
    for (const turn of turns) expect((await end(turn)).outcome.type).toBe('completed');
    expect(said(watched, 8).join()).not.toContain('in a row');
  });

  test('goes on to the limit where the guard is off', async () => {
    const { outcome } = await end(await start('unguarded', scriptedModel(again(12))));
    expect(outcome).toMatchObject({ type: 'max_iterations', iterations: 10 });
  });
});

describe('a closing answer at the limit of iterations', () => {
  // SM-001, SM-004, D2
  test('is one call without tools, whose text is the outcome', async () => {
    const model = scriptedModel([...again(2), text('This is what I have found.')]);
    const { outcome, transcript } = await end(await start('closer', model));
    expect(outcome).toMatchObject({ type: 'max_iterations', text: 'This is what I have found.' });
    expect(model.requests).toHaveLength(3);
    expect(model.requests[2]).toMatchObject({ toolChoice: 'none' });
    expect(said(model, 2).at(-1)).toContain('Give your final answer now');
    expect(rolesOf(transcript).slice(-3)).toEqual(['tool', 'user', 'assistant']);
  });

  // SM-002
  test('is not asked for where the last call that is allowed has answered', async () => {
    const model = scriptedModel([...again(1), text('done')]);
    const { outcome } = await end(await start('closer', model));
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(model.requests).toHaveLength(2);
  });

  // SM-005 is the other way: there the error becomes the answer
  test('that fails is missing, and the turn ends as it would without', async () => {
    const round = reply(text('round 2'), toolCall('echo', { text: 'same' }));
    const model = scriptedModel([...again(1), round, fault({ status: 401 })]);
    const { outcome } = await end(await start('closer', model));
    expect(outcome).toMatchObject({ type: 'max_iterations', text: 'round 2' });
    expect(outcome.steps.at(-1)?.error).toContain('Model.Authentication');
  });

  test('runs no tool that it asks for all the same', async () => {
    const model = scriptedModel(again(3));
    const { outcome } = await end(await start('closer', model));
    expect(outcome.type).toBe('max_iterations');
    expect(outcome.steps.flatMap(({ calls }) => calls.map(({ cause }) => cause))).toEqual([
      undefined,
      undefined,
      'not_callable_now',
    ]);
  });
});

describe('planning', () => {
  // SM-090: k=2 is PLAN, 1, 2, PLAN, 3; plans count for no limit. SM-092
  test('makes a plan without tools before the first model call, and before each so many others', async () => {
    const calls = ['a', 'b', 'c'].map((each) => toolCall('echo', { text: each }));
    const [one, two, three] = calls;
    const model = scriptedModel(
      [text('plan 1'), one, two, text('plan 2'), three].flatMap((each) => each ?? []),
    );
    const { outcome, transcript } = await end(await start('planner', model));
    expect(outcome).toMatchObject({ type: 'max_iterations', iterations: 5 });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      'none',
      undefined,
      undefined,
      'none',
      undefined,
    ]);
    expect(said(model, 0).at(-1)).toContain('write down a plan');
    expect(said(model, 1).at(-1)).toContain('carry out this plan');
    expect(said(model, 3).at(-1)).toContain('bring your plan up to date');
    // SM-091 otherwise: no plan is made without having read all that there is, earlier plans too
    expect(model.requests[3]?.messages).toEqual(transcript.slice(0, 9));
    expect(rolesOf(transcript)).toEqual([
      ...['user', 'user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'tool'],
      ...['user', 'assistant', 'user', 'assistant', 'tool'],
    ]);
  });

  test('without a number is one plan, which is then carried out', async () => {
    const model = scriptedModel([text('plan'), ...again(2), text('done')]);
    const { outcome } = await end(await start('planning_once', model));
    expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 4 });
    expect(model.requests.filter(({ toolChoice }) => toolChoice === 'none')).toHaveLength(1);
  });

  test('that comes to nothing is passed over, at the beginning and later', async () => {
    const model = scriptedModel(
      ['a', 'b', 'c'].map(
        (each) =>
          (_: unknown, { toolChoice }: ModelRequest) =>
            toolChoice === 'none' ? text(' ') : toolCall('echo', { text: each }),
      ),
    );
    const { outcome, transcript } = await end(await start('planner', model));
    expect(outcome).toMatchObject({ type: 'max_iterations', iterations: 3, usage: { failedCalls: 4 } });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      ...['none', 'none', undefined, undefined, 'none', 'none', undefined],
    ]);
    expect(said(model, 2)).toEqual(['hello']);
    expect(said(model, 6).at(-1)).toContain('No plan came');
    expect(rolesOf(transcript)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'tool', 'user', 'user', 'assistant', 'tool'],
    ]);
  });

  test('comes first also where what the turn was given had to be compacted before', async () => {
    const questions = Array.from({ length: 20 }, (_, index) => [
      user(`question ${index} `.repeat(40)),
      { role: 'assistant' as const, id: `a${index}`, content: textContent(`a${index}`, 'It is so.') },
    ]);
    const entry = (_: unknown, { instructions, toolChoice }: ModelRequest) =>
      text(instructions.startsWith('You write the memory') ? 'All was so.' : toolChoice ? 'plan' : 'done');
    const model = scriptedModel(Array.from({ length: 30 }, () => entry));
    const turn = await start('planning_in_little', model, { transcript: questions.flat() });
    const { outcome } = await end(turn);
    expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 2 });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, 'none', undefined]);
    expect(said(model, 1).at(-1)).toContain('write down a plan');
    expect(said(model, 2).at(-1)).toContain('carry out this plan');

    // All else that a turn's first call looks at is looked at, too.
    const untold = scriptedModel(Array.from({ length: 30 }, () => reply(text('plan'), { usage: null })));
    const given = { transcript: questions.flat(), limits: { tokens: 100_000 } };
    const uncounted = (await start('planning_in_little', untold, given)).result();
    await expect(uncounted).rejects.toMatchObject({ type: 'Model.NotCounted' });
  });

  // SM-085 by D18: what one call did not tell makes the sum no less known
  test('and closing count for the usage of the turn as other calls do', async () => {
    const usage = { inputTokens: 10, outputTokens: 3 };
    const model = scriptedModel([
      reply(text('plan'), { usage }),
      reply(toolCall('echo', { text: 'a' }), { usage: null }),
      reply(text('So far so good.'), { usage }),
    ]);
    const { outcome } = await end(await start('plans_and_closes', model));
    expect(outcome).toMatchObject({ type: 'max_iterations', text: 'So far so good.', iterations: 3 });
    expect(outcome.usage).toMatchObject({ inputTokens: 20, outputTokens: 6, modelCalls: 3, unknownCalls: 1 });
  });
});
