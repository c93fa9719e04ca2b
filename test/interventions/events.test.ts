import { describe, expect, test } from 'vitest';
import { attempts, fault, reply, text, toolCall } from '../../src/testing/index.js';
import { countedTool, echoTool, gate } from '../turn/agents.js';
import { collected, endedTurn, resultsOf } from './ended-turn.js';

const nothing = async () => undefined;

describe('the events of a turn', () => {
  // FA-070, FA-003
  test('tell of each reply before its tools, of each tool before the next model call, and once of the end', async () => {
    const { events } = await endedTurn(
      {
        script: [reply(text('I look.'), toolCall('echo', { text: 'a' })), text('done')],
        tools: [echoTool().tool],
      },
      nothing,
    );
    expect(events.map(({ type }) => type)).toEqual([
      'turn_started',
      'model_started',
      'message',
      'tool_started',
      'tool_finished',
      'model_started',
      'message',
      'turn_ended',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  // FA-078
  test('tell once of the start and once of the end of each call, though it throws', async () => {
    const failing = countedTool('failing', {}, () => {
      throw new Error('no');
    });
    const calls = reply(toolCall('echo', { text: 'a' }), toolCall('failing'), toolCall('nope'));
    const { events } = await endedTurn(
      { script: [calls, text('done')], tools: [echoTool().tool, failing.tool] },
      nothing,
    );
    const started = events.flatMap((event) => (event.type === 'tool_started' ? [event.name] : []));
    expect(started.toSorted()).toEqual(['echo', 'failing']);
    const finished = events.flatMap((event) => (event.type === 'tool_finished' ? [event] : []));
    expect(finished.map(({ name, result }) => `${name}: ${result.status}`).toSorted()).toEqual([
      'echo: ok',
      'failing: error',
      'nope: error',
    ]);
  });

  // SM-060
  test('tell of ends in the order in which tools ended; the transcript has the order of the calls', async () => {
    const second = gate();
    const slow = countedTool('slow', {}, () => second.opened);
    const quick = countedTool('quick', {}, () => 'quick');
    const { events, results } = await endedTurn(
      { script: [reply(toolCall('slow'), toolCall('quick')), text('done')], tools: [slow.tool, quick.tool] },
      async ({ turn }) => {
        for await (const event of turn.events()) if (event.type === 'tool_finished') second.open();
      },
    );
    const finished = events.flatMap((event) => (event.type === 'tool_finished' ? [event.name] : []));
    expect(finished).toEqual(['quick', 'slow']);
    expect(results.map(({ name }) => name)).toEqual(['slow', 'quick']);
  });

  // MC-061
  test('show the text of a reply before its tools start', async () => {
    const seen: string[] = [];
    await endedTurn(
      {
        script: [
          reply(text('I look at it, word by word. '.repeat(4)), toolCall('echo', { text: 'a' })),
          text('done'),
        ],
        tools: [echoTool().tool],
        serve: { pieceDelayMs: 20 },
        turn: { stream: true },
      },
      async ({ turn }) => {
        for await (const { type } of turn.events()) if (type !== seen.at(-1)) seen.push(type);
      },
    );
    expect(seen.slice(0, 5)).toEqual([
      'turn_started',
      'model_started',
      'text_delta',
      'message',
      'tool_started',
    ]);
  });

  test('show pieces of text that make up the whole reply', async () => {
    const said = 'One word after the other. '.repeat(6);
    let shown = '';
    await endedTurn(
      { script: [text(said)], serve: { pieceDelayMs: 20 }, turn: { stream: true } },
      async ({ turn }) => {
        for await (const event of turn.events()) {
          if (event.type !== 'text_delta') continue;
          expect(event.offset).toBe(shown.length);
          shown += event.text;
        }
      },
    );
    expect(shown).not.toBe('');
    expect(said.startsWith(shown)).toBe(true);
  });
});

// FA-063
test('the text of an attempt that failed is withdrawn before the text of the next one', async () => {
  const cut = fault({ afterChars: 60, cut: true });
  const shown: string[] = [];
  await endedTurn(
    {
      script: [attempts(cut, text('said '.repeat(20)))],
      // Each attempt lasts for many heartbeats, so that a busy machine sees its text, too.
      serve: { pieceDelayMs: 200 },
      turn: { stream: true },
    },
    async ({ turn }) => {
      for await (const { type, attempt } of turn.events()) {
        const each = `${type} ${attempt}`;
        if (type !== 'retry_waiting' && each !== shown.at(-1)) shown.push(each);
      }
    },
  );
  expect(shown).toEqual([
    'turn_started 0',
    'model_started 0',
    'text_delta 1',
    'reset 2',
    'text_delta 2',
    'message 2',
    'turn_ended 0',
  ]);
});

// O23, FA-073, D15
describe('one who watches and throws', () => {
  test.each([
    'turn_started',
    'model_started',
    'message',
    'tool_started',
    'tool_finished',
    'turn_ended',
  ] as const)(
    'at %s takes nothing from the turn: the tool ran once, and its result is in the transcript',
    async (at) => {
      const echo = echoTool();
      const { outcome, transcript } = await endedTurn(
        { script: [toolCall('echo', { text: 'a' }), text('done')], tools: [echo.tool] },
        async ({ turn }) => {
          const watching = (async () => {
            for await (const { type } of turn.events())
              if (type === at) throw new Error('the listener is broken');
          })();
          await expect(watching).rejects.toThrow('the listener is broken');
        },
      );
      expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
      expect(resultsOf(transcript)).toMatchObject([{ status: 'ok' }]);
      expect(echo.runs).toHaveLength(1);
    },
  );

  test('leaves other watchers alone', async () => {
    await endedTurn(
      { script: [toolCall('echo', { text: 'a' }), text('done')], tools: [echoTool().tool] },
      async ({ turn }) => {
        const other = collected(turn.events());
        await (async () => {
          for await (const _ of turn.events()) throw new Error('broken');
        })().catch(() => undefined);
        expect((await other).at(-1)?.type).toBe('turn_ended');
      },
    );
  });
});
