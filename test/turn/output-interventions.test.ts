import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/shared/messages.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { heldReply, rolesOf } from './agents.js';
import { ASK, fits, json, outputTurn, prose, untilAsked } from './output-turn.js';

test.runIf(long)('over several runs of the workflow it is asked for no more often', async () => {
  const script = [toolCall('echo', { text: 'a' }), prose, prose, prose, prose, json];
  const { outcome } = await outputTurn(script, { agent: { iterationsPerRun: 1 } });
  expect(outcome).toMatchObject({ type: 'invalid_output', iterations: 5, messageCount: 10 });
});

test('over several runs of the workflow the output comes from the last one', async () => {
  const script = [toolCall('echo', { text: 'a' }), prose, text('{}'), json];
  const { outcome } = await outputTurn(script, { agent: { iterationsPerRun: 1 } });
  expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 4 });
});

describe('a steer', () => {
  test('that comes while the model gives its output is answered, and the output is what it says then', async () => {
    const first = heldReply('{"resolved":false,"summary":"waits"}');
    const { outcome, transcript } = await outputTurn([first.entry, json], {
      during: async ({ turn, server }) => {
        await untilAsked(server, 1);
        await turn.steer('do it');
        first.answer();
      },
    });
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 2 });
    expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  test('that comes while the model answers in prose goes first, with the tools at hand; then JSON is asked for', async () => {
    const first = heldReply('Done.');
    const script = [first.entry, toolCall('echo', { text: 'a' }), prose, json];
    const { outcome, transcript, bodies } = await outputTurn(script, {
      during: async ({ turn, server }) => {
        await untilAsked(server, 1);
        await turn.steer('echo it, too');
        first.answer();
      },
    });
    expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 4 });
    expect(bodies.map(({ tool_choice }) => tool_choice)).toEqual([undefined, undefined, undefined, 'none']);
    expect(transcript.filter(({ role }) => role === 'user').map(textOf)).toEqual([
      'Refund it.',
      'echo it, too',
      expect.stringMatching(ASK),
    ]);
  });
});

test('a steer that comes with the last answer that does not fit keeps the turn from ending so', async () => {
  const last = heldReply('Sorry.');
  const { outcome } = await outputTurn([prose, prose, prose, last.entry, prose, json], {
    during: async ({ turn, server }) => {
      await untilAsked(server, 4);
      await turn.steer('try once more');
      last.answer();
    },
  });
  expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 6 });
});

test('an interrupt while JSON is asked for keeps the answer in prose, and the request for what it is', async () => {
  const never = reply(text('never said'), { delayMs: Number.POSITIVE_INFINITY });
  const { outcome, transcript } = await outputTurn([prose, never], {
    during: async ({ turn, server }) => {
      await untilAsked(server, 2);
      await turn.interrupt('enough');
    },
  });
  expect(outcome).toMatchObject({ type: 'interrupted', text: 'I have refunded it.', iterations: 1 });
  expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'user', 'user']);
});

test('a soft stop while the model answers in prose asks for nothing more', async () => {
  const first = heldReply('I have refunded it.');
  const { outcome, transcript } = await outputTurn([first.entry, json], {
    during: async ({ turn, server }) => {
      await untilAsked(server, 1);
      await turn.stop('shift ends');
      first.answer();
    },
  });
  expect(outcome).toMatchObject({ type: 'interrupted', iterations: 1 });
  expect(transcript.map(textOf)).not.toContainEqual(expect.stringMatching(ASK));
});
