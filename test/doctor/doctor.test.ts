import { expect, test } from 'vitest';
import { freePorts } from '../../src/server/ports.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { fault, reply, text, toolCall } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { asked, doctor, KEY, reportOn, serve } from './run-doctor.js';

const allOk = {
  ...{ reachable: 'ok', key: 'ok', model: 'ok', reply: 'ok', streaming: 'ok' },
  ...{ 'tool calls': 'ok', 'tool results': 'ok', 'parallel calls': 'ok' },
  ...{ 'structured output': 'ok', reasoning: 'ok', usage: 'ok', 'context window': 'none' },
};
/** Nothing after these is tried. */
const reached = { reachable: 'ok', key: 'failed', model: 'none', reply: 'none', streaming: 'none' };

test.each(['chat', 'responses'])('an endpoint in good health is said to be, by %s', async (api) => {
  const { url } = await serve();
  const { statuses } = await reportOn(url, ['--api', api]);
  expect(statuses).toEqual(allOk);
});

test('people get a line for each check, without colours in a pipe, and hear that it costs something', async () => {
  const served = await serve();
  const { exitCode, stdout } = await doctor(['scripted', '--base-url', served.url], { OPENAI_API_KEY: KEY });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('5 tiny requests');
  expect(stdout).toMatch(/^✓ streaming +\d+ pieces, the first after/m);
  expect(stdout).toMatch(/^– context window +The server does not tell/m);
  expect(stdout).not.toContain('\u001b');
  expect(served.requests.length).toBe(5);
});

test('a server that is not there, and a name that nobody knows, are named', async () => {
  const [port] = await freePorts(1);
  const refused = await reportOn(`http://127.0.0.1:${port}/v1`);
  expect(refused.finding('reachable')).toMatchObject({
    status: 'failed',
    says: `Nothing listens at 127.0.0.1:${port}.`,
  });
  expect(refused.statuses).toMatchObject({ ...reached, reachable: 'failed', key: 'none' });
  const unknown = await reportOn('http://no-such-host.invalid/v1');
  expect(unknown.finding('reachable')?.says).toContain('no-such-host.invalid');
});

test('a refused key is said to be, and nothing more is tried', async () => {
  const body = { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } };
  const { url, requests } = await serve(() => fault({ status: 401, body }));
  const { statuses, advice } = await reportOn(url);
  expect(statuses).toMatchObject(reached);
  expect(advice).toContain('Set OPENAI_API_KEY');
  expect(requests).toHaveLength(1);
});

test.each([
  [403, 'failed', 'The key may not do this'],
  [402, 'failed', 'quota is used up'],
  [500, 'none', 'Not known'],
  [429, 'none', 'Not known'],
  [400, 'none', 'Not known'],
])('of a key whose request ends in %i it is not said that it is accepted', async (status, expected, says) => {
  const { url } = await serve(() => fault({ status }));
  const { finding, report } = await reportOn(url);
  expect(finding('key')).toMatchObject({ status: expected, says: expect.stringContaining(says) });
  expect(report.ok).toBe(false);
});

test.each([
  [429, 'The server limits requests.'],
  [503, 'The server is overloaded.'],
  [500, 'The server failed.'],
])('a %i is told with what to do, and of no tries that the doctor does not make', async (status, says) => {
  const { url, requests } = await serve(() => fault({ status, body: { error: { message: 'no' } } }));
  const { finding, report } = await reportOn(url);
  expect(finding('reply')).toMatchObject({
    says: `${says} ${status}: no`,
    advice: expect.stringContaining('the doctor asks once'),
  });
  expect(JSON.stringify(report)).not.toMatch(/will be tried again|asked once more/);
  expect(requests).toHaveLength(2);
});

test('a country that is not served is no fault of the key', async () => {
  const error = { code: 'unsupported_country_region_territory' };
  const message = 'Country, region, or territory not supported';
  const { url, requests } = await serve(() => fault({ status: 403, body: { error: { ...error, message } } }));
  const { finding, statuses } = await reportOn(url);
  expect(statuses).toMatchObject({ key: 'none', reply: 'failed', streaming: 'none' });
  expect(finding('reply')?.says).toContain('does not serve this country or region');
  expect(requests).toHaveLength(1);
});

test('a server that refuses nothing but stream_options is said to stream without it', async () => {
  const refusal = fault({ status: 400, body: { error: 'Extra inputs are not permitted' } });
  const served = await serve(() => (served.requests.at(-1)?.body.stream_options ? refusal : undefined));
  const { statuses, finding } = await reportOn(served.url);
  expect(statuses).toEqual({ ...allOk, streaming: 'failed', usage: 'none' });
  expect(finding('streaming')).toMatchObject({
    says: expect.stringContaining('Extra inputs are not permitted'),
    advice: 'Leave it out: openai({ body: { stream_options: null } }).',
  });
});

test("an unknown model is answered with the server's nearest names", async () => {
  const body = { error: { message: 'The model does not exist', code: 'model_not_found' } };
  const { url } = await serve(() => fault({ status: 404, body }), { model: 'qwen3-coder' });
  const { finding } = await reportOn(url, ['--model', 'qwen3-codr']);
  expect(finding('model')).toMatchObject({
    status: 'failed',
    says: 'The server does not know "qwen3-codr".',
    advice: expect.stringContaining('The server has qwen3-coder.'),
  });
});

test('where no model is named, those that the server has are', async () => {
  const { url } = await serve(undefined, { model: 'qwen3' });
  const { exitCode, stdout } = await doctor([], { OPENAI_BASE_URL: url });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/✗ model +No model is named\.\n +→ The server has qwen3\. Set OPENAI_MODEL/);
});

test('text that comes in one piece is no stream; agents can live with it', async () => {
  const { url } = await serve(undefined, { pieceChars: 1000 });
  const { report, finding } = await reportOn(url);
  expect(finding('streaming')).toMatchObject({ status: 'none', says: expect.stringContaining('one piece') });
  expect(report.ok).toBe(true);
});

test('a server that refuses streams is used without, and the option for it is named', async () => {
  const { url } = await serve((request) =>
    asked(request).includes('Count') ? fault({ status: 400, body: { error: 'no streams' } }) : undefined,
  );
  const { statuses, advice, report } = await reportOn(url);
  expect(statuses).toEqual({ ...allOk, streaming: 'failed' });
  expect(advice).toContain('openai({ stream: false })');
  expect(report.ok).toBe(false);
});

test.each([
  ['answers in words', text('I can not know that.'), 'called nothing'],
  ['writes its call as text', text('<tool_call>get_weather(Paris)</tool_call>'), 'came as text'],
  ['sends half of the arguments', toolCall('get_weather', '{"city": "Pa'), "can't be run"],
  [
    'refuses tools',
    fault({ status: 400, body: { error: 'tools are not supported' } }),
    'tools are not supported',
  ],
])('a model that %s fails', async (_, given, says) => {
  const { url } = await serve((request) => (request.tools.length > 0 ? given : undefined));
  const { finding, report } = await reportOn(url);
  expect(finding('tool calls')).toMatchObject({ status: 'failed', says: expect.stringContaining(says) });
  expect(report.ok).toBe(false);
});

test('one call a reply, no structured output, no usage and no reasoning are told, and are no failures', async () => {
  const plain = (request: ModelRequest) => {
    if (request.output) return reply(text('Paris.'), { usage: null });
    if (request.messages.length > 1) return reply(text('Sunny.'), { usage: null });
    if (request.tools.length > 0) return reply(toolCall('get_weather', { city: 'Paris' }), { usage: null });
    return reply(text('ready, one two three four'), { usage: null });
  };
  const { url } = await serve(plain);
  const { statuses, report } = await reportOn(url);
  const without = { 'parallel calls': 'none', 'structured output': 'none', reasoning: 'none', usage: 'none' };
  expect(statuses).toEqual({ ...allOk, ...without });
  expect(report.ok).toBe(true);
});

test.runIf(long)('a server that never answers is given up', async () => {
  const { url } = await serve(() => reply(text('never'), { delayMs: Number.POSITIVE_INFINITY }));
  const { finding, statuses } = await reportOn(url, ['--timeout', '2']);
  expect(finding('reply')).toMatchObject({ status: 'failed', says: expect.stringContaining('within 2 s') });
  expect(statuses).toMatchObject({ reachable: 'ok', streaming: 'failed', 'tool calls': 'none' });
});

test('nothing that is set up at all is a wrong usage that says what to set', async () => {
  const { exitCode, stderr } = await doctor([], { OPENAI_BASE_URL: 'localhost:11434' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('OPENAI_BASE_URL is no http address');
});

test('a password in the base URL is never shown', async () => {
  const { exitCode, stderr, stdout } = await doctor(['m'], {
    OPENAI_BASE_URL: 'http://me:hush-hush@host/v1',
  });
  expect(exitCode).toBe(2);
  expect(stderr + stdout).not.toContain('hush-hush');
});

test('for people, what was not tried takes one line', async () => {
  const [port] = await freePorts(1);
  const { stdout } = await doctor(['m'], { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` });
  expect(stdout).toMatch(/✗ reachable .*\n.*→ Start the server.*\n– the rest +11 checks were not tried\.\n/);
});

test('the answer of a provider moves no cursor', async () => {
  const { url } = await serve((request) =>
    asked(request).includes('ready') ? text('\u001b[2Jready\nnow') : undefined,
  );
  const { stdout } = await doctor(['scripted'], { OPENAI_BASE_URL: url });
  expect(stdout).toContain('"ready now"');
  expect(stdout).not.toContain('\u001b');
});
