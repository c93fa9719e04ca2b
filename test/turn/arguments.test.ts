import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyTool } from '../../src/define/define-agent.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, echoTool, servedModel, textOfResult } from './agents.js';

/** One call of the tool with these arguments, as the model wrote them. */
async function callOf(tool: AnyTool, written: string | Record<string, never>) {
  const model = scriptedModel([toolCall(tool.name, written), text('done')]);
  const { calls, outcome } = await testTurn(agentWith([tool]), 'hello', { model });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  return { ...calls[0]?.result, text: textOfResult(calls[0]?.result) };
}

// O01, FA-023, D10
test.each(['', '  ', 'null', '{}'])('no arguments, written as %j, are an empty object', async (written) => {
  const ping = countedTool('ping', {});
  expect(await callOf(ping.tool, written)).toMatchObject({ status: 'ok' });
  expect(ping.runs).toEqual([{}]);
});

// O01, SM-026
test('no arguments for a tool that needs one are answered with what it needs', async () => {
  const need = countedTool('need', { x: z.string() });
  expect(await callOf(need.tool, '')).toMatchObject({
    status: 'error',
    cause: 'invalid_arguments',
    text: expect.stringContaining('- x: '),
  });
  expect(need.runs).toEqual([]);
});

// O01, on the wire
test('a call whose arguments are absent from the stream runs with an empty object', async () => {
  const ping = countedTool('ping', {});
  const { model } = await servedModel([toolCall('ping', ''), text('done')]);
  await testTurn(agentWith([ping.tool]), 'hello', { model });
  expect(ping.runs).toEqual([{}]);
});

// D10, FA-027, SM-027, MC-025: ours never repairs
test.each(['{"text":"hel', '{"text":"a"} trailing', "{'text':'a'}", 'a'])(
  'arguments that are not valid JSON, %j, are not run',
  async (written) => {
    const echo = echoTool();
    expect(await callOf(echo.tool, written)).toMatchObject({
      status: 'error',
      cause: 'invalid_json',
      text: expect.stringContaining('not valid JSON'),
    });
    expect(echo.runs).toEqual([]);
  },
);

// D10
test.each(['[]', '"text"', '7', 'true'])('arguments that are no object, %s, are not run', async (written) => {
  const echo = echoTool();
  expect(await callOf(echo.tool, written)).toMatchObject({ status: 'error', cause: 'invalid_json' });
  expect(echo.runs).toEqual([]);
});

// D10, on the wire: the next request is one that providers take
test('broken arguments go back to the provider in a form that it takes', async () => {
  const { server, model } = await servedModel([toolCall('echo', '{"text":"hel'), text('done')]);
  const { outcome } = await testTurn(agentWith([echoTool().tool]), 'hello', { model });
  expect(outcome.text).toBe('done');
  expect(server.refusals).toEqual([]);
});

// FA-024, SM-021
test.each([
  ['of the wrong type', '{"text":7}', '- text: '],
  ['that are missing', '{}', '- text: '],
  ['that the tool does not know', '{"text":"a","loud":true}', '- loud: unknown argument; it takes: text'],
])('arguments %s are told to the model, and the tool is not run', async (_, written, told) => {
  const echo = echoTool();
  expect(await callOf(echo.tool, written)).toMatchObject({
    status: 'error',
    cause: 'invalid_arguments',
    text: expect.stringContaining(told),
  });
  expect(echo.runs).toEqual([]);
});

// SM-021
test('a whole number fits where a number is asked for', async () => {
  const pay = countedTool('pay', { amount: z.number() });
  expect(await callOf(pay.tool, '{"amount":7}')).toMatchObject({ status: 'ok' });
});

// SM-021
test.each(['{}', '{"note":null}'])(
  'an argument that may be null may be missing, too: %s',
  async (written) => {
    const pay = countedTool('pay', { note: z.string().nullish() });
    expect(await callOf(pay.tool, written)).toMatchObject({ status: 'ok' });
  },
);

// SM-021
test.each(['null', '7', '"a"', '[1]', '{"b":{}}'])('an argument of any kind takes %s', async (value) => {
  const keep = countedTool('keep', { value: z.any() });
  expect(await callOf(keep.tool, `{"value":${value}}`)).toMatchObject({ status: 'ok' });
  expect(keep.runs).toEqual([{ value: JSON.parse(value) }]);
});

// FA-024: each problem in one answer
test('all problems of the arguments are told at once, with their paths', async () => {
  const order = countedTool('order', { items: z.array(z.object({ count: z.int() })), to: z.string() });
  const { text: told } = await callOf(order.tool, '{"items":[{"count":1},{"count":"two"}]}');
  expect(told).toContain('- items.1.count: ');
  expect(told).toContain('- to: ');
});

// MC-022
test("a tool's own check of its arguments is told in its words, and the tool is not run", async () => {
  const path = z.string().refine((value) => !value.startsWith('/'), 'use a path inside of the folder');
  const read = countedTool('read', { path });
  const { text: told } = await callOf(read.tool, '{"path":"/etc/passwd"}');
  expect(told).toContain('- path: use a path inside of the folder');
  expect(read.runs).toEqual([]);
});

test('a check that throws is told to the model, and the tool is not run', async () => {
  const path = z.string().refine(() => {
    throw new Error('the check is broken');
  });
  const read = countedTool('read', { path });
  const result = await callOf(read.tool, '{"path":"a"}');
  expect(result).toMatchObject({ status: 'error', cause: 'invalid_arguments' });
  expect(result.text).toContain('the check is broken');
});

test('what a schema puts in or changes reaches the tool', async () => {
  const shape = { count: z.int().default(3), name: z.string().transform((name) => name.toUpperCase()) };
  const greet = countedTool('greet', shape);
  await callOf(greet.tool, '{"name":"ann"}');
  expect(greet.runs).toEqual([{ count: 3, name: 'ANN' }]);
});
