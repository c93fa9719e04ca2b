import { expect, test } from 'vitest';
import { type RemoteCall, remoteFaultEnd, remoteReturned } from '../../src/shared/remote-tools.js';
import { settleToolCall } from '../../src/shared/settle.js';
import type { ToolSettings } from '../../src/shared/turn-settings.js';

const call: RemoteCall = {
  ...{ v: 1, tool: 'far', turnId: 't', callId: 'c', iteration: 0, idempotencyKey: 't/0/c' },
  maxResultBytes: 1000,
};
const place = { taskQueue: 'python', activity: 'far', queueTimeoutMs: 60_000, maxResultBytes: 1000 };
const tool = (idempotent: boolean): ToolSettings => ({
  ...{ name: 'far', idempotent, parallel: true, timeoutMs: 600_000, heartbeatTimeoutMs: 10_000 },
  ...{ maxAttempts: 5, reconciles: false, schemaHash: '', remote: place },
});
const planned = { do: 'run' as const, callId: 'c', name: 'far', input: {}, summary: 'far' };
const resultOf = (end: Parameters<typeof settleToolCall>[2], idempotent = false) => {
  const settlement = settleToolCall(planned, tool(idempotent), end);
  if (settlement.do === 'result') return settlement.result;
  return settlement.do === 'keep' ? settlement.otherwise : undefined;
};
const textIn = (value: unknown) =>
  (resultOf(remoteReturned({}, call, value))?.content ?? []).map((block) =>
    block.type === 'text' ? block.text : block.type,
  );

test.each<[string, unknown, string[]]>([
  ['a text', 'said', ['said']],
  ['an object', { a: [1, null] }, ['{"a":[1,null]}']],
  ['false', false, ['false']],
  ['nothing', null, []],
  [
    'text blocks',
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    ['a\nb'],
  ],
  ['bytes', new Uint8Array(3), ['[3 bytes of binary data]']],
  ['what steers a terminal', '\u001b[2J', ['␛[2J']],
])('what a remote tool returns is the result: %s', (_, value, texts) => {
  expect(textIn(value)).toEqual(texts);
});

test('what is too long is cut in its middle where our own worker can make nothing better of it', () => {
  const end = remoteReturned({}, call, 'é'.repeat(5000));
  expect(end.kind).toBe('returned_much');
  const [text = ''] = textIn('é'.repeat(5000));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000);
  expect(text).toMatch(/^é+\n\[\.\.\. \d+ bytes left out of 10000; they could not be kept \.\.\.\]\né+$/);
});

test('an image and a value that nobody can write do not stop the turn', () => {
  expect(remoteReturned({}, call, { type: 'image', mediaType: 'image/png', data: '' }).kind).toBe(
    'returned_much',
  );
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(resultOf(remoteReturned({}, call, deep))).toMatchObject({ status: 'error' });
});

test.each<[string, Parameters<typeof remoteFaultEnd>[0], { status: string; cause: string }]>([
  [
    'canceled before a worker had it',
    { is: 'canceled', details: 'ACTIVITY_ID_NOT_STARTED' },
    { status: 'interrupted', cause: 'not_started' },
  ],
  [
    'canceled while it ran',
    { is: 'canceled', details: undefined },
    { status: 'interrupted', cause: 'was_running' },
  ],
  ['taken by no worker', { is: 'timeout', which: 'queue' }, { status: 'error', cause: 'no_worker' }],
  [
    'taken by no worker after a try',
    { is: 'timeout', which: 'queue', tried: true },
    { status: 'unknown', cause: 'worker_lost' },
  ],
  ['without heartbeats', { is: 'timeout', which: 'heartbeat' }, { status: 'unknown', cause: 'worker_lost' }],
  ['without an answer', { is: 'timeout', which: 'other' }, { status: 'unknown', cause: 'timed_out' }],
  [
    'stopped by a shutdown',
    { is: 'failure', type: 'CancelledError', text: '' },
    { status: 'unknown', cause: 'worker_lost' },
  ],
  ['that threw', { is: 'failure', type: 'ValueError', text: 'no' }, { status: 'error', cause: 'tool_threw' }],
])('a remote call %s', (_, fault, expected) => {
  expect(resultOf(remoteFaultEnd(fault))).toMatchObject(expected);
});

test('an error says its type, where that says something', () => {
  const told = (type: string | undefined, text: string) => {
    const end = remoteFaultEnd({ is: 'failure', type, text });
    return end.kind === 'failed' ? end.text : end.kind;
  };
  expect(told('KeyError', "'page'")).toBe("KeyError: 'page'");
  expect(told('ApplicationError', 'no such page')).toBe('no such page');
  expect(told(undefined, 'no such page')).toBe('no such page');
});
