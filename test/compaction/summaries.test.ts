import { expect, test } from 'vitest';
import { askingForLess, within } from '../../src/activities/summarise.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
} from '../../src/shared/model-port.js';
import type { Usage } from '../../src/shared/usage.js';

const usage: Usage = { inputTokens: 900, outputTokens: 200 };
const cut: ModelResponse = {
  content: [{ type: 'text', text: 'The order is' }],
  stopReason: 'max_tokens',
  model: 'm',
  usage,
};
const whole: ModelResponse = { ...cut, stopReason: 'end_turn' };
const tooLong = new ModelError('Model.ContextTooLong', 'too long', { retryable: false });
const first: ModelRequest = { model: 'first', instructions: '', messages: [], tools: [] };

/** A model that gives these answers in turn; what it is asked is in the request's name. */
function answering(answers: readonly (ModelResponse | ModelError)[]) {
  const asked: string[] = [];
  const model: Model = {
    name: 'm',
    async call({ model: name }) {
      const answer = answers[asked.push(name) - 1] ?? whole;
      if (answer instanceof ModelError) throw answer;
      return answer;
    },
  };
  const less = askingForLess(model, { characters: 8000, maxTokens: 1000 }, ({ characters, maxTokens }) => ({
    ...first,
    model: `${characters} ${maxTokens}`,
  }));
  return { asked, less };
}

function contextWith(resume?: string) {
  const told = { spent: [] as (Usage | 'unknown' | undefined)[], resume };
  const context: ModelContext = {
    ...{ signal: new AbortController().signal, attempt: 1, onText: () => undefined },
    onSpent: (spent) => told.spent.push(spent),
    resume: {
      get: () => told.resume,
      goesOn: () => true,
      async set(id) {
        told.resume = id || undefined;
      },
    },
  };
  return { told, context };
}

test('a summary that was cut off is asked for in half as many words, once, and what it cost is told', async () => {
  const { told, context } = contextWith('reply_1');
  const once = answering([cut]);
  expect(await once.less.call(first, context)).toBe(whole);
  expect(once.asked).toEqual(['first', '8000 100']);
  expect(told).toEqual({ spent: [usage], resume: undefined });
  const again = answering([cut, cut]);
  expect(await again.less.call(first, context)).toBe(cut);
  expect(again.asked).toHaveLength(2);
});

test('what is too long to be summed up is asked of half of it, and again', async () => {
  const { context } = contextWith();
  const { asked, less } = answering([tooLong, tooLong, cut]);
  expect(await less.call(first, context)).toBe(whole);
  expect(asked).toEqual(['first', '4000 1000', '2000 1000', '2000 100']);
  const never = answering(Array.from({ length: 9 }, () => tooLong));
  await expect(never.less.call(first, context)).rejects.toBe(tooLong);
  expect(never.asked).toHaveLength(5);
});

test('one that takes too long ends as a timeout, and an interrupt as itself', async () => {
  const waiting: Model = {
    name: 'm',
    call: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  const { context } = contextWith();
  await expect(within(waiting, 1).call(first, context)).rejects.toMatchObject({
    ...{ type: 'Model.Timeout', retryable: true, usage: 'unknown' },
  });
  const interrupt = AbortSignal.abort(new Error('enough'));
  const ended: Model = { ...waiting, call: async (_, { signal }) => Promise.reject(signal.reason) };
  await expect(within(ended, 60_000).call(first, { ...context, signal: interrupt })).rejects.toThrow(
    'enough',
  );
  expect(within(waiting, undefined)).toBe(waiting);
});
