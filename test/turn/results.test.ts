import { CancelledFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, gate, servedModel, textOfResult } from './agents.js';

const asksFor = (...names: string[]) =>
  scriptedModel([reply(...names.map((name) => toolCall(name))), text('done')]);

function failingTool(thrown: unknown = new Error('no such order')) {
  return countedTool('failing', {}, () => {
    throw thrown;
  });
}

// FA-025, MC-021
test('what a tool throws is told to the model, and the turn goes on', async () => {
  const { calls, outcome } = await testTurn(agentWith([failingTool().tool]), 'hello', {
    model: asksFor('failing'),
  });
  expect(calls[0]?.result).toMatchObject({ status: 'error', cause: 'tool_threw' });
  expect(textOfResult(calls[0]?.result)).toBe('Error: no such order');
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
});

// O09: the text is never empty
test('an error without a message is told by its name', async () => {
  const { calls } = await testTurn(agentWith([failingTool(new TypeError()).tool]), 'hello', {
    model: asksFor('failing'),
  });
  expect(textOfResult(calls[0]?.result)).toBe('Error: TypeError');
});

// O21
test('an ordinary error of a tool is not tried again', async () => {
  const failing = failingTool();
  await testTurn(agentWith([failing.tool]), 'hello', { model: asksFor('failing') });
  expect(failing.runs).toHaveLength(1);
});

// D5, O05, SM-023: ours keeps the siblings
test('one of three tools that throws does no harm to its siblings', async () => {
  const [a, c] = [countedTool('a', {}), countedTool('c', {})];
  const agent = agentWith([a.tool, failingTool().tool, c.tool]);
  const { calls } = await testTurn(agent, 'hello', { model: asksFor('a', 'failing', 'c') });
  expect(calls.map(({ result }) => [result.name, result.status])).toEqual([
    ['a', 'ok'],
    ['failing', 'error'],
    ['c', 'ok'],
  ]);
  expect([a.runs.length, c.runs.length]).toEqual([1, 1]);
});

// FA-030: ours takes it for what it is, an error of one tool; only a cancel of the turn cancels the turn
test('a cancellation that a tool throws of its own is an error of that tool alone', async () => {
  const canceling = countedTool('canceling', {}, () => {
    throw new CancelledFailure('stopped');
  });
  const aborting = countedTool('aborting', {}, () => AbortSignal.abort().throwIfAborted());
  const agent = agentWith([canceling.tool, countedTool('a', {}).tool, aborting.tool]);
  const { calls, outcome } = await testTurn(agent, 'hello', { model: asksFor('canceling', 'a', 'aborting') });
  expect(calls.map(({ result }) => result.status)).toEqual(['error', 'ok', 'error']);
  expect(outcome.type).toBe('completed');
});

// D7, FA-028, SM-024, MC-024: request order
test('results stand in request order, whatever the order in which tools end, or their ids', async () => {
  const secondEnded = gate();
  const slow = countedTool('slow', {}, () => secondEnded.opened.then(() => 'slow'));
  const quick = countedTool('quick', {}, () => {
    secondEnded.open();
    return 'quick';
  });
  const model = scriptedModel([
    reply(toolCall('slow', {}, { id: 'call_2' }), toolCall('quick', {}, { id: 'call_10' }), toolCall('nope')),
    text('done'),
  ]);
  const { transcript } = await testTurn(agentWith([slow.tool, quick.tool]), 'hello', { model });
  const results = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
  expect(results.map((result) => result.name)).toEqual(['slow', 'quick', 'nope']);
});

// D6, FA-029
test('calls of one reply run side by side', async () => {
  const [leftRuns, rightRuns] = [gate(), gate()];
  const left = countedTool('left', {}, () => {
    leftRuns.open();
    return rightRuns.opened;
  });
  const right = countedTool('right', {}, () => {
    rightRuns.open();
    return leftRuns.opened;
  });
  const agent = agentWith([left.tool, right.tool]);
  const { calls } = await testTurn(agent, 'hello', { model: asksFor('left', 'right') });
  expect(calls.map(({ result }) => result.status)).toEqual(['ok', 'ok']);
});

/** Tools that note, in `noted`, when they begin and end; each leaves the others time to overlap. */
function notingTool(name: string, noted: string[], parallel: boolean) {
  const run = async () => {
    noted.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    noted.push(`${name} ends`);
  };
  return countedTool(name, {}, run, { parallel }).tool;
}

// D6: the barrier
test('a tool that may not run beside others waits for those before it and holds back those after it', async () => {
  const noted: string[] = [];
  const tools = [
    notingTool('before', noted, true),
    notingTool('alone', noted, false),
    notingTool('after', noted, true),
  ];
  await testTurn(agentWith(tools), 'hello', { model: asksFor('before', 'alone', 'after') });
  expect(noted).toEqual(['before', 'alone', 'after'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

// FA-029: the switch
test('with maxParallelTools: 1 calls run one after the other, in request order', async () => {
  const noted: string[] = [];
  const tools = ['a', 'b', 'c'].map((name) => notingTool(name, noted, true));
  await testTurn(agentWith(tools, { maxParallelTools: 1 }), 'hello', { model: asksFor('c', 'a', 'b') });
  expect(noted).toEqual(['c', 'a', 'b'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

// FA-026, O15: ours sends a placeholder
test('a tool that returns nothing has an empty result, for which the wire has words', async () => {
  const values = [undefined, null, '', [], [{ type: 'text', text: '' }]];
  const quiet = countedTool('quiet', { index: z.int() }, ({ index }) => values[index]);
  const asked = reply(...values.map((_, index) => toolCall('quiet', { index })));
  const { server, model } = await servedModel([asked, text('done')]);
  const { calls } = await testTurn(agentWith([quiet.tool]), 'hello', { model });
  expect(calls.map(({ result }) => result.content)).toEqual(values.map(() => []));
  const sent = server.requests[1]?.body.messages.slice(-values.length);
  expect(sent).toMatchObject(Array(values.length).fill({ role: 'tool', content: '(no output)' }));
});

// FA-032, SM-029
test('what is no text is given to the model as JSON', async () => {
  const find = countedTool('find', {}, () => ({ a: 1, b: ['x'] }));
  const { calls } = await testTurn(agentWith([find.tool]), 'hello', { model: asksFor('find') });
  expect(textOfResult(calls[0]?.result)).toBe('{"a":1,"b":["x"]}');
});

// MC-023
test('a result over 100,000 bytes is cut between characters, and says how much is missing', async () => {
  const big = countedTool('big', { times: z.int() }, ({ times }) => `begin ${'漢'.repeat(times)} end`);
  const model = scriptedModel([toolCall('big', { times: 50_000 }), text('done')]);
  const { calls } = await testTurn(agentWith([big.tool]), 'hello', { model });
  const told = textOfResult(calls[0]?.result);
  expect(Buffer.byteLength(told)).toBeLessThanOrEqual(100_000);
  expect(told).toMatch(
    /^begin 漢+\n\[\.\.\. \d+ bytes left out of 150010; read on with read_artifact: .* \.\.\.\]\n漢+ end$/,
  );
});

// O16
test('what JSON cannot carry is put into words in the result', async () => {
  const values = [cyclic(), { n: 10n }, new Map([['a', 1]]), { file: Buffer.from('abc') }, { run: () => 1 }];
  const odd = countedTool('odd', { index: z.int() }, ({ index }) => values[index]);
  const asked = reply(...values.map((_, index) => toolCall('odd', { index })));
  const { calls } = await testTurn(agentWith([odd.tool]), 'hello', {
    model: scriptedModel([asked, text('done')]),
  });
  expect(calls.map(({ result }) => textOfResult(result))).toEqual([
    '{"self":{"deep":["[a cycle]"]}}',
    '{"n":"10"}',
    '{"[Map]":[["a",1]]}',
    '{"file":"[Buffer of 3 bytes]"}',
    '{"run":"[function]"}',
  ]);
});

// O16
test('a result that refuses to be read is an error of its tool', async () => {
  const odd = countedTool('odd', {}, () => ({
    toJSON() {
      throw new Error('unreadable');
    },
  }));
  const { calls } = await testTurn(agentWith([odd.tool]), 'hello', { model: asksFor('odd') });
  expect(calls[0]?.result.status).toBe('error');
  expect(textOfResult(calls[0]?.result)).toBe("Error: odd ran, but its result can't be read: unreadable");
});

function cyclic(): object {
  const value: { self?: unknown } = {};
  value.self = { deep: [value] };
  return value;
}
