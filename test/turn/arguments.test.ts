import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { RecordedSteps } from '../../src/client/recorded-steps.js';
import type { AnyTool } from '../../src/define/define-agent.js';
import { retryable } from '../../src/define/retryable.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, echoTool, servedModel, textOfResult } from './agents.js';

/** Calls of the tool in one reply, with arguments as the model wrote them; the turn goes on to its end. */
async function callsOf(tool: AnyTool, ...written: string[]) {
  const model = scriptedModel([reply(...written.map((each) => toolCall(tool.name, each))), text('done')]);
  const { calls, outcome } = await testTurn(agentWith([tool]), 'hello', { model });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  return {
    statuses: calls.map(({ result }) => result.status),
    causes: calls.map(({ result }) => result.cause),
    texts: calls.map(({ result }) => textOfResult(result)),
  };
}

/** The body of a tool that asks for a second try. */
function busyAtFirst() {
  let tries = 0;
  return () => {
    tries += 1;
    if (tries === 1) throw retryable('busy', { after: 10 });
    return 'done';
  };
}

// O01, FA-023, D10
test('no arguments, however that is written, are an empty object', async () => {
  const ping = countedTool('ping', {});
  const { statuses } = await callsOf(ping.tool, '', '  ', 'null', '{}');
  expect(statuses).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(ping.runs).toEqual([{}, {}, {}, {}]);
});

test('an integer that no number can keep is told to the model, and is never changed into another one', async () => {
  const pay = countedTool('pay', { to: z.union([z.number(), z.string()]), note: z.string().optional() });
  const { statuses, texts } = await callsOf(
    pay.tool,
    '{"to":12345678901234567890}',
    '{"to":-9007199254740993}',
    '{"to":"12345678901234567890","note":"\\"99999999999999999999"}',
    '{"to":9007199254740991}',
    '{"to":0.12345678901234567890}',
  );
  expect(statuses).toEqual(['error', 'error', 'ok', 'ok', 'ok']);
  expect(texts[0]).toContain("12345678901234567890 can't be kept exactly");
  expect(texts[1]).toContain('-9007199254740993');
  // They run at once, in whatever order.
  expect(new Set(pay.runs.map(({ to }) => to))).toEqual(
    new Set(['12345678901234567890', 9_007_199_254_740_991, 0.123_456_789_012_345_68]),
  );
});

test('an integer that is written as a decimal is not changed either', async () => {
  const pay = countedTool('pay', { to: z.number() });
  const odd = ['9007199254740993.0', '9007199254740993e0', '9.007199254740993E+15', '1e400', '-1e400'];
  const fine = ['1e23', '9007199254740991.0', '1.50e1', '-0.0', '0e5', '1e-400', '12345678901234567.5'];
  const { statuses, texts } = await callsOf(pay.tool, ...[...odd, ...fine].map((to) => `{"to":${to}}`));
  expect(statuses).toEqual([...odd.map(() => 'error'), ...fine.map(() => 'ok')]);
  expect(texts[4]).toContain("-1e400 can't be kept exactly");
});

// O01, SM-026
test('no arguments for a tool that needs one are answered with what it needs', async () => {
  const need = countedTool('need', { x: z.string() });
  const { causes, texts } = await callsOf(need.tool, '');
  expect(causes).toEqual(['invalid_arguments']);
  expect(texts[0]).toContain('\n- x: ');
  expect(need.runs).toEqual([]);
});

// O01, on the wire
test('a call whose arguments are empty in the stream runs with an empty object', async () => {
  const ping = countedTool('ping', {});
  const { model } = await servedModel([toolCall('ping', ''), text('done')]);
  await testTurn(agentWith([ping.tool]), 'hello', { model });
  expect(ping.runs).toEqual([{}]);
});

// D10, FA-027, SM-027, MC-025: ours never repairs
test('arguments that are not valid JSON are not run', async () => {
  const echo = echoTool();
  const broken = ['{"text":"hel', '{"text":"a"} trailing', "{'text':'a'}", 'a'];
  const { causes, texts } = await callsOf(echo.tool, ...broken);
  expect(causes).toEqual(Array(4).fill('invalid_json'));
  for (const told of texts) expect(told).toContain('the arguments of echo are not valid JSON');
  expect(echo.runs).toEqual([]);
});

// D10
test('arguments that are JSON but no object are not run', async () => {
  const echo = echoTool();
  const { causes } = await callsOf(echo.tool, '[]', '"text"', '7', 'true');
  expect(causes).toEqual(Array(4).fill('invalid_json'));
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
test('arguments of a wrong type, missing, or unknown are told to the model, and the tool is not run', async () => {
  const echo = echoTool();
  const { causes, texts } = await callsOf(echo.tool, '{"text":7}', '{}', '{"text":"a","loud":true}');
  expect(causes).toEqual(Array(3).fill('invalid_arguments'));
  expect(texts[0]).toContain('\n- text: ');
  expect(texts[1]).toContain('\n- text: ');
  expect(texts[2]).toContain('\n- loud: unknown argument; it takes: text');
  expect(echo.runs).toEqual([]);
});

// FA-024: each problem in one answer
test('all problems of the arguments are told at once, with their paths', async () => {
  const order = countedTool('order', { items: z.array(z.object({ count: z.int() })), to: z.string() });
  const { texts } = await callsOf(order.tool, '{"items":[{"count":1},{"count":"two"}]}');
  expect(texts[0]).toContain('\n- items.1.count: ');
  expect(texts[0]).toContain('\n- to: ');
});

// SM-021
test('a whole number fits where a number is asked for', async () => {
  const pay = countedTool('pay', { amount: z.number() });
  expect(await callsOf(pay.tool, '{"amount":7}')).toMatchObject({ statuses: ['ok'] });
});

// SM-021
test('an argument that may be null may be missing, too', async () => {
  const pay = countedTool('pay', { note: z.string().nullish() });
  expect(await callsOf(pay.tool, '{}', '{"note":null}')).toMatchObject({ statuses: ['ok', 'ok'] });
});

// SM-021
test('an argument of any kind takes whatever JSON there is', async () => {
  const keep = countedTool('keep', { value: z.any() }, undefined, { parallel: false });
  await callsOf(keep.tool, '{"value":null}', '{"value":7}', '{"value":[1]}', '{"value":{"b":{}}}');
  expect(keep.runs.map(({ value }) => value)).toEqual([null, 7, [1], { b: {} }]);
});

// MC-022
test("a tool's own check of its arguments is told in its words, and the tool is not run", async () => {
  const path = z.string().refine((value) => !value.startsWith('/'), 'use a path inside of the folder');
  const read = countedTool('read', { path });
  const { texts } = await callsOf(read.tool, '{"path":"/etc/passwd"}');
  expect(texts[0]).toContain('\n- path: use a path inside of the folder');
  expect(read.runs).toEqual([]);
});

test('a check that throws is told to the model, and the tool is not run', async () => {
  const path = z.string().refine(() => {
    throw new Error('the check is broken');
  });
  const read = countedTool('read', { path });
  const { causes, texts } = await callsOf(read.tool, '{"path":"a"}');
  expect(causes).toEqual(['invalid_arguments']);
  expect(texts[0]).toContain('the check is broken');
});

test('what a schema adds or changes reaches the tool', async () => {
  const shape = { count: z.int().default(3), name: z.string().transform((name) => name.toUpperCase()) };
  const greet = countedTool('greet', shape);
  await callsOf(greet.tool, '{"name":"ann"}');
  expect(greet.runs).toEqual([{ count: 3, name: 'ANN' }]);
});

// O25: the event history has the JSON that the model wrote, with what was missing in it
test('a call is recorded with its defaults, made once, and with nothing that a transform makes', async () => {
  const shape = {
    id: z.string().default(() => randomUUID()),
    name: z.string().transform((name) => new Map([[name, name.length]])),
  };
  const greet = countedTool('greet', shape, busyAtFirst(), { idempotent: true });
  const { model } = await servedModel([toolCall('greet', { name: 'ann' }), text('done')]);
  await withWorker(agentWith([greet.tool], { model }), async ({ start, client }) => {
    const turn = await start('hello');
    await turn.result();
    const history = await client.client.workflow.getHandle(turn.turnId).fetchHistory();
    const steps = new RecordedSteps(client.client.options.loadedDataConverter, turn.turnId);
    const inputs: unknown[] = [];
    for (const event of history.events ?? []) {
      const step = await steps.read(event);
      if (step?.kind === 'tool_scheduled') inputs.push(step.input.input);
    }
    expect(inputs).toEqual([{ name: 'ann', id: greet.runs[0]?.id }]);
  });
  expect(greet.runs).toHaveLength(2);
  expect(greet.runs[0]).toEqual(greet.runs[1]);
  expect(greet.runs[0]?.name.get('ann')).toBe(3);
});

test('arguments that are too long for an event history keep the defaults that they were planned with', async () => {
  const shape = { content: z.string(), id: z.string().default(() => randomUUID()) };
  const keep = countedTool('keep', shape, busyAtFirst(), { idempotent: true });
  const content = 'x'.repeat(300_000);
  const model = scriptedModel([toolCall('keep', { content }), text('done')]);
  await testTurn(agentWith([keep.tool]), 'hello', { model });
  expect(keep.runs).toHaveLength(2);
  expect(keep.runs[0]?.content).toBe(content);
  expect(keep.runs[0]?.id).toBe(keep.runs[1]?.id);
});
