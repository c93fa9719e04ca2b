import { describe, expect, test } from 'vitest';
import { replay, reply, scriptedModel, text, toolCall, withWorker } from '../../src/testing/index.js';
import { agentWith, countedTool, heldReply } from './agents.js';

const long = (bytes: number) => 'long '.repeat(bytes / 5);
const WHOLE = { pieceChars: 2_000_000 };
const quick = countedTool('quick', {}).tool;

describe("a turn's outcome fits what Temporal carries", () => {
  test('with many long messages that wait when it is interrupted', async () => {
    const held = heldReply('late');
    const model = scriptedModel([held.entry], WHOLE);
    await withWorker(agentWith([], { model }), async ({ start }) => {
      const turn = await start('hello');
      await held.asked;
      for (let id = 0; id < 10; id++) await turn.steer(long(240_000), { id: `s${id}` });
      await turn.interrupt('enough');
      const outcome = await turn.result();
      held.answer();
      expect(outcome.type).toBe('interrupted');
      expect(outcome.undelivered).toHaveLength(2);
      expect(await turn.receipt('s9')).toMatchObject({ status: 'refused' });
      await replay(turn.turnId);
    });
  });

  test('with a long last reply and a message that came too late', async () => {
    const held = heldReply(reply(text(long(1_200_000)), toolCall('quick')));
    const model = scriptedModel([held.entry], WHOLE);
    const agent = agentWith([quick], { model, limits: { iterations: 1 } });
    await withWorker(agent, async ({ start }) => {
      const turn = await start('hello');
      await held.asked;
      await turn.steer(long(240_000));
      held.answer();
      const outcome = await turn.result();
      expect(outcome).toMatchObject({ type: 'max_iterations', messageCount: 3 });
      expect(outcome.undelivered).toHaveLength(1);
      expect(outcome.text).toBe(long(1_200_000));
      expect(outcome.messages).toEqual(await turn.transcript());
    });
  });

  test('with a long prompt and an interrupt before the first reply', async () => {
    const held = heldReply('late');
    const model = scriptedModel([held.entry], WHOLE);
    await withWorker(agentWith([], { model }), async ({ start }) => {
      const turn = await start(long(1_400_000));
      await held.asked;
      await turn.steer(long(240_000));
      await turn.interrupt();
      const outcome = await turn.result();
      held.answer();
      expect(outcome).toMatchObject({ type: 'interrupted', iterations: 0 });
      expect(outcome.messages.at(0)?.role).toBe('user');
    });
  });
});

test('a turn with a long prompt and long replies goes on in new runs, or in its own where there is no room', async () => {
  const rounds = Array.from({ length: 3 }, () => reply(text(long(700_000)), toolCall('quick')));
  const model = scriptedModel([...rounds, text('done')], WHOLE);
  const agent = agentWith([quick], { model, iterationsPerRun: 1 });
  await withWorker(agent, async ({ start }) => {
    const turn = await start(long(1_400_000));
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'done', iterations: 4 });
  });
});
