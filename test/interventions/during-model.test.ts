import { describe, expect, test } from 'vitest';
import type { Model, ModelPart } from '../../src/shared/model-port.js';
import { attempts, fault, rawChunks, reply, text, toolCall } from '../../src/testing/index.js';
import { countedTool, echoTool, gate } from '../turn/agents.js';
import { endedTurn, shapeOf, untilAsked, untilEvent, untilReceipt } from './ended-turn.js';

const never = reply(text('never said'), { delayMs: Number.POSITIVE_INFINITY });
/** A provider that says a few words and then nothing more. */
const begun = rawChunks(
  ['It was ', 'a dark'].map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
  { ending: 'open' },
);

/** A model that comes to the end of its reply, whoever tells it to stop. */
function deafModel(part: ModelPart): { agent: { model: Model }; asked: Promise<void>; answer: () => void } {
  const [asked, answered] = [gate(), gate()];
  const call: Model['call'] = async ({ messages }) => {
    asked.open();
    await answered.opened;
    const isNext = messages.some(({ role }) => role === 'assistant');
    const content: ModelPart[] = isNext ? [{ type: 'text', text: 'the next turn' }] : [part];
    return { content, stopReason: part.type === 'text' ? 'end_turn' : 'tool_use', model: 'deaf' };
  };
  return { agent: { model: { name: 'deaf', call } }, asked: asked.opened, answer: answered.open };
}

describe('an interrupt during a model call', () => {
  // D12, FA-040
  test('without any text keeps the user message, and a note behind it', async () => {
    const { outcome, transcript } = await endedTurn({ script: [never] }, async ({ turn, server }) => {
      await untilAsked(server, 1);
      await turn.interrupt();
    });
    expect(outcome).toMatchObject({ type: 'interrupted', text: '', iterations: 0 });
    expect(shapeOf(transcript)).toBe('user, user (note)');
    expect(transcript[1]?.content).toMatchObject([{ text: '[The user interrupted the turn here.]' }]);
  });

  test('keeps the text that had come, marked as partial, and a note behind it', async () => {
    const { outcome, transcript } = await endedTurn(
      { script: [begun], turn: { stream: true } },
      async ({ turn }) => {
        await untilEvent(turn, 'text_delta');
        await turn.interrupt();
      },
    );
    expect(outcome).toMatchObject({ type: 'interrupted', text: 'It was a dark' });
    expect(shapeOf(transcript)).toBe('user, assistant (cut), user (note)');
    expect(transcript[1]?.content).toMatchObject([{ text: 'It was a dark', partial: true }]);
  });

  test("keeps the partial text at Temporal's cancel, too", async () => {
    const { failure, transcript } = await endedTurn(
      { script: [begun], turn: { stream: true } },
      async ({ turn }) => {
        await untilEvent(turn, 'text_delta');
        await turn.cancel();
      },
    );
    expect(failure?.status).toBe('CANCELED');
    expect(shapeOf(transcript)).toBe('user, assistant (cut), user (note)');
  });

  // O10
  test.each(['interrupt', 'cancel'] as const)('ends the turn at once in a retry wait: %s', async (kind) => {
    const limited = fault({ status: 429, retryAfter: 60 });
    const { transcript, modelCalls } = await endedTurn(
      { script: [attempts(limited, text('never said'))] },
      async ({ turn }) => {
        const waiting = await untilEvent(turn, 'retry_waiting');
        expect(waiting.failure.type).toBe('Model.RateLimited');
        const waitMs = Date.parse(waiting.untilAt ?? '') - Date.parse(waiting.at);
        expect(waitMs).toBeGreaterThan(30_000);
        expect(waitMs).toBeLessThan(61_000);
        const interruptedAt = performance.now();
        await turn[kind]();
        await turn.result().catch(() => undefined);
        expect(performance.now() - interruptedAt).toBeLessThan(5000);
      },
    );
    expect(modelCalls).toBe(1);
    expect(shapeOf(transcript)).toBe('user, user (note)');
  });

  // D13
  test('is heard by the request to the provider, and no model call comes after it', async () => {
    const { modelCalls } = await endedTurn(
      { script: [toolCall('echo', { text: 'a' }), never], tools: [echoTool().tool] },
      async ({ turn, server }) => {
        await untilAsked(server, 2);
        await turn.interrupt();
      },
    );
    expect(modelCalls).toBe(2);
  });

  // SM-042
  test('that comes when the model has finished changes nothing: the turn is completed', async () => {
    const deaf = deafModel({ type: 'text', text: 'done' });
    const { outcome } = await endedTurn({ script: [], agent: deaf.agent }, async ({ turn }) => {
      await deaf.asked;
      await turn.interrupt('late', { id: 'i1' });
      await untilReceipt(turn, 'i1', 'done');
      deaf.answer();
    });
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(outcome?.intervention).toBeUndefined();
  });

  test('whose reply asks for tools all the same runs none of them', async () => {
    const echo = countedTool('echo', {});
    const deaf = deafModel({ type: 'tool_call', id: 'c1', name: 'echo', arguments: '{}' });
    const { outcome, results } = await endedTurn(
      { script: [], tools: [echo.tool], agent: deaf.agent },
      async ({ turn }) => {
        await deaf.asked;
        await turn.interrupt('enough', { id: 'i1' });
        await untilReceipt(turn, 'i1', 'done');
        deaf.answer();
      },
    );
    expect(outcome?.type).toBe('interrupted');
    expect(results).toMatchObject([{ status: 'interrupted', cause: 'not_started' }]);
    expect(echo.runs).toEqual([]);
  });
});

describe('a stop during a model call', () => {
  test('lets the reply come to its end, which completes the turn', async () => {
    const answers = gate();
    const slow = async () => {
      await answers.opened;
      return text('done');
    };
    const { outcome } = await endedTurn({ script: [slow] }, async ({ turn, server }) => {
      await untilAsked(server, 1);
      await turn.stop('enough', { id: 's1' });
      await untilReceipt(turn, 's1', 'done');
      answers.open();
    });
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });

  test('starts none of the tools that the reply asks for, and makes no model call', async () => {
    const answers = gate();
    const echo = countedTool('echo', {});
    const slow = async () => {
      await answers.opened;
      return reply(text('I look.'), toolCall('echo'));
    };
    const { outcome, results, transcript, modelCalls } = await endedTurn(
      { script: [slow], tools: [echo.tool] },
      async ({ turn, server }) => {
        await untilAsked(server, 1);
        await turn.stop('enough', { id: 's1' });
        await untilReceipt(turn, 's1', 'done');
        answers.open();
      },
    );
    expect(outcome).toMatchObject({ type: 'interrupted', text: 'I look.', intervention: { kind: 'stop' } });
    expect(results).toMatchObject([{ status: 'interrupted', cause: 'not_started' }]);
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
    expect(echo.runs).toEqual([]);
    expect(modelCalls).toBe(1);
  });
});
