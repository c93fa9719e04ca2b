import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { toolCallsOf } from '../../src/shared/messages.js';
import {
  rawBytes,
  rawChunks,
  reply,
  type Script,
  type ScriptEntry,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { callDelta, delta } from '../openai-chat/call-served.js';
import { countedTool, echoTool, servedModel, textOfResult } from './agents.js';
import { sharedWorker } from './shared-worker.js';

// Public reports of other runners, as whole turns: a real HTTP server, the real client, a real Temporal server.
const echo = echoTool();
const ping = countedTool('ping', {});
const take = countedTool('take', { path: z.string().optional() });
const worker = sharedWorker([echo.tool, ping.tool, take.tool]);

async function ended(script: Script, options: OpenAiOptions = {}) {
  for (const { runs } of [echo, ping, take]) runs.length = 0;
  const { server, model } = await servedModel(script, options);
  const turn = await worker.start(model, 'hello', { limits: { iterations: 6 } });
  const outcome = await turn.result().catch((error: unknown) => error as { type: string; outcome: unknown });
  const transcript = await turn.transcript();
  const results = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return { server, outcome, transcript, results };
}

const json = { headers: { 'content-type': 'application/json' } };
/** One whole body, as servers answer that don't stream. */
const body = (message: object, finish: string | null) =>
  rawBytes([JSON.stringify({ choices: [{ message, finish_reason: finish }] })], json);
const fragment = (name: string | undefined, args: string, more: object = {}) => ({
  ...more,
  function: { ...(name && { name }), arguments: args },
});

// FA-013: ours ends the turn, as D3 decides: no calls, no other round
test.each(['continue', 'pause_turn', 'CONTINUE'])(
  'a reply without calls that ends as "%s" ends the turn, and no call is made with nothing new in it',
  async (finish) => {
    const { server, outcome } = await ended([reply(text('More to come.'), { finish }), text('never asked')]);
    expect(outcome).toMatchObject({ type: 'completed', text: 'More to come.', iterations: 1 });
    expect(server.requests).toHaveLength(1);
  },
);

// O04
describe('a reply that announces calls and has none', () => {
  const shapes: [string, ScriptEntry, OpenAiOptions][] = [
    ['an empty delta', rawChunks([delta({}, 'tool_calls'), '[DONE]']), {}],
    ['an empty list of calls', rawChunks([delta({ content: '', tool_calls: [] }, 'tool_calls')]), {}],
    ['null for calls and content', rawChunks([delta({ content: null, tool_calls: null }, 'tool_calls')]), {}],
    ['nothing but reasoning', rawChunks([delta({ reasoning_content: 'hm' }), delta({}, 'tool_calls')]), {}],
    ['the old word', rawChunks([delta({ content: ' ' }, 'function_call')]), {}],
    [
      'a body in one piece',
      body({ role: 'assistant', content: '', tool_calls: [] }, 'tool_calls'),
      { stream: false },
    ],
    ['a list of contents', body({ content: [], tool_calls: null }, 'tool_use'), { stream: false }],
  ];
  it.each(shapes)(
    '(%s) is asked for once more, and then ends the turn by its name',
    async (_, empty, options) => {
      const { server, outcome } = await ended([empty], options);
      expect(outcome).toMatchObject({ type: 'Model.EmptyReply' });
      expect(server.requests).toHaveLength(2);
    },
  );

  it('after a round of tools loses nothing of that round', async () => {
    const { server, outcome, results } = await ended([
      toolCall('echo', { text: 'a' }),
      rawChunks([delta({}, 'tool_calls')]),
    ]);
    expect(outcome).toMatchObject({ type: 'Model.EmptyReply', outcome: { iterations: 1 } });
    expect(results.map(textOfResult)).toEqual(['a']);
    expect(server.requests).toHaveLength(3);
  });
});

// O07, SM-061: whatever names a piece's call, no piece gets into another one's arguments
describe('pieces of calls', () => {
  it.each<[string, (object | undefined)[]]>([
    [
      'at one index',
      [
        { index: 0, id: 'a' },
        { index: 0, id: 'b' },
      ],
    ],
    ['without an index', [{ id: 'a' }, { id: 'b' }]],
    [
      'at indexes with a gap',
      [
        { index: 0, id: 'a' },
        { index: 2, id: 'b' },
      ],
    ],
    ['without ids', [{ index: 0 }, { index: 1 }]],
  ])('%s make two calls, and both run with their own', async (_, [first = {}, second = {}]) => {
    const pieces = [
      callDelta(fragment('echo', '{"text":"one"}', first)),
      callDelta(fragment('echo', '{"text":"two"}', second)),
    ];
    const { results } = await ended([rawChunks([...pieces, delta({}, 'tool_calls')]), text('done')]);
    // They run side by side: which of them begins first is the machine's.
    expect(echo.runs.map((run) => run.text).toSorted()).toEqual(['one', 'two']);
    expect(results.map(textOfResult)).toEqual(['one', 'two']);
  });

  it('that could belong to two calls run nothing, and the model is told that their call has no name', async () => {
    const chunks = [
      callDelta(fragment('echo', '{"text":"one"}', { index: 0, id: 'a' })),
      callDelta(fragment(undefined, '{"text":', { index: 1 })),
      callDelta(fragment(undefined, '"two"}', { index: 1 })),
      delta({}, 'tool_calls'),
    ];
    const { server, outcome, transcript, results } = await ended([rawChunks(chunks), text('done')]);
    expect(echo.runs).toEqual([{ text: 'one' }]);
    expect(transcript.flatMap(toolCallsOf)[1]).toMatchObject({ name: 'unnamed_tool', requestedName: '' });
    expect(results.map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(textOfResult(results[1])).toContain(
      "Tool '' is not available. Available tools: echo, ping, take.",
    );
    // A provider that checks names takes the round back.
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(server.refusals).toEqual([]);
  });
});

// O08
describe.each(['chat', 'responses'] as const)('names that no provider takes, by %s,', (api) => {
  const names = [
    'browser.tabs.open',
    '$READFILE',
    'x<|channel|>',
    '',
    'n'.repeat(80),
    'größe',
    'a b',
    '\ud800',
  ];

  it.each([true, false])('poison neither this turn nor the next one (stream: %s)', async (stream) => {
    const script = [
      reply(...names.map((name) => toolCall(name))),
      toolCall('ping'),
      text('done'),
      text('again'),
    ];
    const { server, model } = await servedModel(script, { api, stream });
    const first = await (await worker.start(model, 'hello')).result();
    const turn = await worker.start(model, 'and now?', { transcript: first.messages });
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'again' });
    expect(server.refusals).toEqual([]);
    const [, , told] = first.messages;
    const texts = told?.role === 'tool' ? told.content.map(textOfResult) : [];
    expect(texts.slice(0, 2)).toEqual(
      names.slice(0, 2).map((name) => `Tool '${name}' is not available. Available tools: echo, ping, take.`),
    );
    expect(texts).toHaveLength(names.length);
  });
});

// O18
describe('a frame with the usage', () => {
  const counts = { prompt_tokens: 12, completion_tokens: 5 };
  it.each<[string, unknown[], unknown[]]>([
    ['without choices at the end', [], [{ usage: counts }]],
    ['with empty choices at the end', [], [{ choices: [], usage: counts }]],
    ['after empty choices at the start', [{ choices: [] }], [{ choices: [], usage: counts }]],
    [
      'among null deltas',
      [{ choices: [{ delta: null }] }, { usage: null }],
      [{ choices: null, usage: counts }],
    ],
    ['beside the finish reason', [], [{ choices: [{ delta: {}, finish_reason: 'stop' }], usage: counts }]],
  ])('%s is counted, and no call is lost', async (_, before, after) => {
    const call = callDelta(fragment('echo', '{"text":"one"}', { index: 0, id: 'a' }));
    const script = [
      rawChunks([...before, call, delta({}, 'tool_calls'), ...after, '[DONE]']),
      rawChunks([...before, delta({ content: 'done' }), delta({}, 'stop'), ...after, '[DONE]']),
    ];
    const { outcome } = await ended(script);
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(outcome).toMatchObject({ usage: { inputTokens: 24, outputTokens: 10, modelCalls: 2 } });
    expect(echo.runs).toEqual([{ text: 'one' }]);
  });
});
