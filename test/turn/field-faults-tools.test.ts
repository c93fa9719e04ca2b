import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { rawChunks, reply, type Script, text, toolCall } from '../../src/testing/index.js';
import { callDelta, delta } from '../openai-chat/call-served.js';
import { countedTool, servedModel, textOfResult } from './agents.js';
import { sharedWorker } from './shared-worker.js';

// As field-faults.test.ts, of what becomes of calls: over a real HTTP server, by the real client.
const ping = countedTool('ping', {});
const need = countedTool('need', { x: z.string() });
const take = countedTool('take', { path: z.string().optional(), content: z.string().optional() });
const fail = countedTool('fail', {}, () => {
  throw new Error('no such file');
});
const odd = countedTool('odd', { at: z.int() }, ({ at }) => hostile[at]);
const tools = [ping, need, take, fail, odd];
const worker = sharedWorker(tools.map(({ tool }) => tool));

const hostile = [`${'x'.repeat(99_999)}😀${'x'.repeat(99_999)}`, 'raw \ud83d half', { '\udc00': ['\ud800'] }];

async function ended(script: Script, options: OpenAiOptions = {}, prompt = 'hello') {
  for (const { runs } of tools) runs.length = 0;
  const { server, model } = await servedModel(script, options);
  const turn = await worker.start(model, prompt, { limits: { iterations: 6 } });
  const outcome = await turn.result();
  const results = outcome.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return { server, outcome, results };
}

// O01
describe('arguments that are none', () => {
  it.each([
    ['empty', { arguments: '' }],
    ['white space', { arguments: '  ' }],
    ['null', { arguments: null }],
    ['missing', {}],
  ])('(%s) run a tool that needs none, and are told to be wrong where one is needed', async (_, written) => {
    const calls = ['ping', 'need'].map((name, index) => ({
      index,
      id: name,
      function: { name, ...written },
    }));
    const script = [rawChunks([callDelta(...calls), delta({}, 'tool_calls')]), text('done')];
    const { outcome, results } = await ended(script);
    expect(ping.runs).toEqual([{}]);
    expect(need.runs).toEqual([]);
    expect(textOfResult(results[1])).toContain('\n- x: ');
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });
});

// O02, FA-014, FA-027
describe.each(['chat', 'responses'] as const)('a call that the output limit cut, by %s,', (api) => {
  const written = '{"path":"a","content":"hel';
  const cut = reply(toolCall('take', written), { finish: 'length' });

  it.each([true, false])('is not run, with nothing and with what had come (stream: %s)', async (stream) => {
    const { server, outcome, results } = await ended([cut, text('done')], { api, stream });
    expect(take.runs).toEqual([]);
    expect(results).toMatchObject([{ status: 'error', cause: 'cut_by_output_limit' }]);
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(server.refusals).toEqual([]);
  });

  it('again and again ends the turn as truncated', async () => {
    const { outcome } = await ended([cut, cut, cut, text('never asked')], { api });
    expect(outcome).toMatchObject({ type: 'truncated', iterations: 3 });
    expect(take.runs).toEqual([]);
  });
});

// O05
test.each(['chat', 'responses'] as const)(
  'one of three calls that fails keeps the others, by %s',
  async (api) => {
    const asked = reply(toolCall('ping'), toolCall('fail'), toolCall('take'));
    const { server, results } = await ended([asked, text('done')], { api });
    expect(results.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'ping ok',
      'fail error',
      'take ok',
    ]);
    expect([ping, fail, take].map(({ runs }) => runs.length)).toEqual([1, 1, 1]);
    expect(server.refusals).toEqual([]);
  },
);

// O14: the server refuses what is not well-formed Unicode
test.each(['chat', 'responses'] as const)(
  'half characters make no request that is refused, by %s',
  async (api) => {
    const asked = reply(
      ...hostile.map((_, at) => toolCall('odd', { at })),
      toolCall('take', { path: '\udc00' }),
    );
    const { server, outcome, results } = await ended([asked, text('done')], { api }, 'what is \udc00 this?');
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(textOfResult(results[1])).toBe('raw \ufffd half');
    expect(server.refusals).toEqual([]);
  },
);
