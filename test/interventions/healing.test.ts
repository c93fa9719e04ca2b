import { describe, expect, test } from 'vitest';
import { type Message, textOf, toolCallsOf } from '../../src/shared/messages.js';
import { fault, reply, text, toolCall } from '../../src/testing/index.js';
import { assistant, tool, user } from '../shared/transcripts.js';
import { countedTool, echoTool, textOfResult } from '../turn/agents.js';
import { endedTurn, resultsOf, shapeOf, untilEvent } from './ended-turn.js';
import { heldTool } from './tools.js';

const nothing = async () => undefined;

/** A turn on a transcript of whatever shape: what became of the transcript, and what the provider was sent. */
async function turnOn(transcript: Message[]) {
  const lookUp = countedTool('look_up', {});
  const ended = await endedTurn(
    { script: Array.from({ length: 5 }, () => text('done')), tools: [lookUp.tool], turn: { transcript } },
    nothing,
  );
  expect(ended.outcome).toMatchObject({ type: 'completed', text: 'done' });
  expect(lookUp.runs).toEqual([]);
  return ended;
}

describe('a transcript that is handed in', () => {
  // FA-060, FA-061, D17
  test.each([
    ['a call at its end without a result', [user(), assistant('a')], ['a: interrupted']],
    [
      'a call in its middle without a result',
      [user(), assistant('a'), user(), assistant()],
      ['a: interrupted'],
    ],
    [
      'a batch that is partly answered',
      [user(), assistant('a', 'b'), tool('b')],
      ['a: interrupted', 'b: ok'],
    ],
    ['a result without a call', [user(), tool('x')], []],
    ['a result twice', [user(), assistant('a'), tool('a', 'a')], ['a: ok']],
    ['results in the wrong order', [user(), assistant('a', 'b'), tool('b', 'a')], ['a: ok', 'b: ok']],
    [
      'an id used twice',
      [user(), assistant('a'), tool('a'), assistant('a'), tool('a')],
      ['a: ok', 'a__2: ok'],
    ],
  ])('with %s is mended, and the provider takes it', async (_, given, results) => {
    const withText = given.map((message) => (message.role === 'assistant' ? spoken(message) : message));
    const { transcript } = await turnOn(withText);
    expect(resultsOf(transcript).map(({ callId, status }) => `${callId}: ${status}`)).toEqual(results);
    expect(transcript.slice(-2).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  // FA-061a: whatever the reply's stop reason was
  test.each(['max_tokens', 'end_turn', 'refusal', undefined] as const)(
    'whose last reply has calls without results and the stop reason %s is mended',
    async (stopReason) => {
      const last = assistant('a');
      const cut = { ...last, ...(stopReason && { stopReason }) } as Message;
      const { results } = await turnOn([user(), cut]);
      expect(results).toMatchObject([{ status: 'interrupted', cause: 'no_result_recorded' }]);
    },
  );

  // FA-062
  test('that ends in results goes on with them and the new prompt; nothing is run again', async () => {
    const { transcript, modelCalls } = await turnOn([user(), assistant('a'), tool('a')]);
    expect(shapeOf(transcript)).toBe('user, assistant, tool, user, assistant');
    expect(modelCalls).toBe(1);
  });
});

/** Providers refuse a reply with neither text nor calls. */
function spoken(message: Extract<Message, { role: 'assistant' }>): Message {
  return toolCallsOf(message).length > 0
    ? message
    : { ...message, content: [{ type: 'text', id: `${message.id}.0`, text: 'said' }] };
}

describe('a model call that fails', () => {
  // D14, MC-040, FA-047
  test('after a tool round fails the turn by type, and the transcript keeps the round', async () => {
    const echo = echoTool();
    const script = [toolCall('echo', { text: 'real' }), fault({ status: 401 })];
    const { failure, transcript, results, events } = await endedTurn({ script, tools: [echo.tool] }, nothing);
    expect(failure).toMatchObject({ status: 'FAILED', type: 'Model.Authentication' });
    expect(failure?.outcome).toMatchObject({ type: 'failed', iterations: 1, messages: transcript });
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
    expect(results.map(textOfResult)).toEqual(['real']);
    expect(events.filter(({ type }) => type === 'turn_ended')).toMatchObject([{ outcome: 'failed' }]);
  });

  // FA-049
  test('as the first one keeps the user message', async () => {
    const { failure, transcript } = await endedTurn({ script: [fault({ status: 401 })] }, nothing);
    expect(failure?.type).toBe('Model.Authentication');
    expect(transcript.map(textOf)).toEqual(['hello']);
  });
});

// FA-048
test('a turn that goes on from an interrupted one reads the real results and runs nothing again', async () => {
  const [echo, hold] = [echoTool(), heldTool()];
  let sent: readonly Message[] = [];
  const calls = reply(toolCall('echo', { text: 'real' }), toolCall('hold'));
  const script = [
    calls,
    (messages: readonly Message[]) => {
      sent = messages;
      return text('done');
    },
  ];
  const tools = [echo.tool, hold.tool];
  const { transcript } = await endedTurn({ script, tools }, async ({ turn, client, taskQueue }) => {
    await hold.running;
    await untilEvent(turn, 'tool_finished');
    await turn.interrupt();
    const { messages } = await turn.result();
    const next = await client.start('tester', 'and now?', { transcript: messages, taskQueue });
    expect(await next.result()).toMatchObject({ type: 'completed', text: 'done' });
  });
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(resultsOf(sent).map(textOfResult)).toEqual(resultsOf(transcript).map(textOfResult));
  expect([echo.runs.length, hold.runs.length]).toEqual([1, 1]);
});
