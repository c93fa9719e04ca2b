import { expect, test } from 'vitest';
import { z } from 'zod';
import { fault, reply, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { endedTurn } from '../interventions/ended-turn.js';
import { countedTool, echoTool, gate, textOfResult } from '../turn/agents.js';
import { ask, nested, subAgent } from './agents.js';

// FA-120, MC-120, SM-100
test("a sub-agent begins with an empty transcript; its last text is the call's result", async () => {
  const echo = echoTool();
  const model = scriptedModel([toolCall('echo', { text: 'a fact' }), text('It is 42.')]);
  const researcher = subAgent('researcher', [], { model, tools: [echo.tool] });
  const call = { ...toolCall('researcher', { task: 'What is it?', context: 'Of all.' }), id: 'c1' };
  const { outcome, results } = await endedTurn(
    { script: [call, text('done')], agent: { tools: [researcher] } },
    async () => undefined,
  );
  expect(results).toMatchObject([{ callId: 'c1', name: 'researcher', status: 'ok' }]);
  expect(textOfResult(results[0])).toBe('It is 42.');
  expect(outcome?.messages).toHaveLength(4);
  expect(model.requests[0]).toMatchObject({ instructions: 'You are a researcher.' });
  expect(model.requests[0]?.messages).toMatchObject([
    { role: 'user', content: [{ text: 'What is it?\n\nContext:\nOf all.' }] },
  ]);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo']);
});

// FA-120: usage comes up; the step tells whose it was
test('what a sub-agent has cost is part of what its parent has cost, and the step says so', async () => {
  const usage = { inputTokens: 100, outputTokens: 10 };
  const researcher = subAgent('researcher', [reply(text('It is 42.'), { usage })]);
  const { outcome, events } = await endedTurn(
    {
      script: [reply(ask('researcher'), { usage: { inputTokens: 1, outputTokens: 1 } }), text('done')],
      agent: { tools: [researcher] },
    },
    async () => undefined,
  );
  expect(outcome?.iterations).toBe(2);
  expect(outcome?.usage.modelCalls).toBe(3);
  expect(outcome?.usage.inputTokens).toBeGreaterThan(100);
  const turnId = `${outcome?.turnId}/researcher`;
  expect(outcome?.steps[0]?.calls).toMatchObject([
    { id: 'researcher', status: 'ok', subAgent: { turnId, iterations: 1, usage: { inputTokens: 100 } } },
  ]);
  expect(events.find((event) => event.type === 'tool_started')).toMatchObject({ subAgent: { turnId } });
});

// FA-122, FA-121: side by side, whatever the order in which they end
test('sub-agents run side by side with tools; results come in request order', async () => {
  const [slow, both] = [gate(), gate()];
  const meets = countedTool('meets', {}, async () => {
    slow.open();
    await both.opened;
  });
  const waits = countedTool('waits', {}, async () => {
    await slow.opened;
    both.open();
  });
  const first = subAgent('first', [toolCall('meets'), text('first is done')], { tools: [meets.tool] });
  const second = subAgent('second', [toolCall('waits'), text('second is done')], { tools: [waits.tool] });
  const { results } = await endedTurn(
    {
      script: [reply(ask('first'), toolCall('echo', { text: 'plain' }), ask('second')), text('done')],
      agent: { tools: [first, echoTool().tool, second] },
    },
    async () => undefined,
  );
  expect(results.map(textOfResult)).toEqual(['first is done', 'plain', 'second is done']);
});

// FA-121: it queues, and drops none
test('more sub-agents than may run side by side wait for their turn', async () => {
  const researcher = subAgent('researcher', [text('found')]);
  const calls = ['a', 'b', 'c'].map((id) => ({ ...toolCall('researcher', { task: id }), id }));
  const { results } = await endedTurn(
    { script: [reply(...calls), text('done')], agent: { tools: [researcher], maxParallelTools: 1 } },
    async () => undefined,
  );
  expect(results.map(({ callId, status }) => [callId, status])).toEqual([
    ['a', 'ok'],
    ['b', 'ok'],
    ['c', 'ok'],
  ]);
});

// D16, FA-121, SM-101, MC-121
test('a sub-agent that fails is an error result that says why, its usage counted, its siblings unharmed', async () => {
  const usage = { inputTokens: 100, outputTokens: 10 };
  const broken = subAgent('broken', [
    reply(toolCall('nope'), { usage }),
    fault({ status: 401, body: { error: { message: 'no such key' } } }),
  ]);
  const { outcome, results } = await endedTurn(
    {
      script: [reply(ask('broken'), ask('fine')), text('done')],
      agent: { tools: [broken, subAgent('fine', [text('fine')])] },
    },
    async () => undefined,
  );
  expect(outcome?.type).toBe('completed');
  expect(results[0]).toMatchObject({ status: 'error', cause: 'sub_agent_failed' });
  expect(textOfResult(results[0])).toMatch(/^Error: broken failed \(Model\.Authentication\): .*no such key/);
  expect(results[1]).toMatchObject({ status: 'ok' });
  expect(outcome?.usage.inputTokens).toBeGreaterThan(100);
});

// D16, FA-124, MC-121: never an empty success
test('a sub-agent that reaches its limit is an error result that says so, with the last that it said', async () => {
  const again = reply(text('I looked once.'), toolCall('echo', { text: 'x' }));
  const tools = [echoTool().tool];
  const endless = subAgent('endless', [again, again], { tools, limits: { iterations: 2 } });
  const silent = subAgent('silent', [toolCall('echo', { text: 'x' })], { tools, limits: { iterations: 1 } });
  const { results } = await endedTurn(
    { script: [reply(ask('endless'), ask('silent')), text('done')], agent: { tools: [endless, silent] } },
    async () => undefined,
  );
  expect(results).toMatchObject([
    { status: 'error', cause: 'sub_agent_limit' },
    { status: 'error', cause: 'sub_agent_limit' },
  ]);
  expect(textOfResult(results[0])).toContain('endless reached its limit of 2 model calls');
  expect(textOfResult(results[0])).toContain('I looked once.');
  expect(textOfResult(results[1])).toContain('silent reached its limit of 1 model call before');
});

// MC-121
test('a call without a task is answered with what is missing; no turn is started', async () => {
  const researcher = subAgent('researcher', [text('found')]);
  const { results, events } = await endedTurn(
    { script: [toolCall('researcher', {}), text('done')], agent: { tools: [researcher] } },
    async () => undefined,
  );
  expect(results).toMatchObject([{ status: 'error', cause: 'invalid_arguments' }]);
  expect(textOfResult(results[0])).toContain('task');
  expect(events.filter((event) => event.type === 'tool_started')).toEqual([]);
});

test("the answer of a sub-agent that has an output is that, and a long answer is cut to a result's size", async () => {
  const output = z.object({ found: z.number() });
  const counting = subAgent('counting', [text('{"found":3}')], { output });
  const long = subAgent('long', [text('long '.repeat(40_000))]);
  const { results } = await endedTurn(
    { script: [reply(ask('counting'), ask('long')), text('done')], agent: { tools: [counting, long] } },
    async () => undefined,
  );
  expect(textOfResult(results[0])).toBe('{"found":3}');
  expect(textOfResult(results[1]).length).toBeLessThan(100_000);
  expect(textOfResult(results[1])).toMatch(/\[Cut here: the answer is longer than a result may be\.\]$/);
});

test('a task that is too long to be handed over is refused in words', async () => {
  const researcher = subAgent('researcher', [text('found')]);
  const script = [ask('researcher', 'long '.repeat(60_000)), text('done')];
  const { calls } = await testTurn(subAgent('lead', script, { tools: [researcher] }), 'hello');
  expect(textOfResult(calls[0]?.result)).toContain('its task is too long to be handed over');
});

// FA-125: no endless nesting
test('a call deeper than the limit is an error result; the levels above go on', async () => {
  const { outcome, results } = await endedTurn(
    {
      script: [ask('level1'), text('done')],
      agent: { tools: [nested(2, subAgent('level3', [text('too deep')]))] },
      turn: { limits: { depth: 2 } },
    },
    async () => undefined,
  );
  expect(textOfResult(results[0])).toBe('level1 is done');
  // Two of each level that ran, and two of the turn itself.
  expect(outcome?.usage.modelCalls).toBe(6);
});

test('by default sub-agents may be nested four deep', async () => {
  const { outcome } = await endedTurn(
    {
      script: [ask('level1'), text('done')],
      agent: { tools: [nested(4, subAgent('level5', [text('too deep')]))] },
    },
    async () => undefined,
  );
  expect(outcome?.usage.modelCalls).toBe(10);
});
