import { describe, expect, test } from 'vitest';
import { knownWindow } from '../../src/activities/context-windows.js';
import { ContextSize } from '../../src/shared/compaction/context-size.js';
import type { CompactionSettings } from '../../src/shared/compaction/settings.js';
import { conversationText, summaryRequest } from '../../src/shared/compaction/summary-text.js';
import { tokensOf } from '../../src/shared/compaction/tokens.js';
import type { Message } from '../../src/shared/messages.js';
import { rates, round, said } from './transcripts.js';

const settings: CompactionSettings = {
  ...{ automatic: true, at: 0.8, to: 0.4, window: 1000, timeoutMs: 1000, attempts: 1, growth: 0.1 },
  ...{ maxPerCall: 3, overheadTokens: 100, rates },
};
const transcript = (messages: readonly Message[], epoch = 0) => ({
  epoch,
  count: messages.length,
  since: (position: number) => messages.slice(position),
});

// FA-107
describe('what the next model call sends', () => {
  test('is what the last reply told, and an estimate of what was added since', () => {
    const size = new ContextSize();
    const asked = [said('u')];
    size.replied({ inputTokens: 500, outputTokens: 60, reasoningTokens: 10 }, transcript(asked));
    const now = [...asked, ...round('a', [2000])];
    expect(size.tokens(transcript(now), settings)).toBe(550 + 504);
    expect(size.isDue(transcript(now), settings)).toBe(true);
  });

  test('is an estimate of all, with what every request has, where no reply has told', () => {
    const size = new ContextSize();
    size.replied({}, transcript([said('u')]));
    expect(size.tokens(transcript([said('u', 'x'.repeat(400))]), settings)).toBe(204);
  });

  test('counts a fixed figure for an image, and not its bytes', () => {
    const image = { type: 'image' as const, id: 'i', mediaType: 'image/png', data: 'A'.repeat(400_000) };
    expect(tokensOf({ role: 'user', id: 'u', content: [image] }, rates)).toBe(2004);
  });

  test('never makes a compaction due where nobody knows the window, or the agent wants none', () => {
    const size = new ContextSize();
    size.replied({ inputTokens: 1_000_000 }, transcript([]));
    const { window: _window, ...unknown } = settings;
    expect(size.isDue(transcript([]), unknown)).toBe(false);
    expect(size.isDue(transcript([]), { ...settings, automatic: false })).toBe(false);
    expect(size.isDue(transcript([]), settings)).toBe(true);
  });

  test('has to grow by a share after one that came to nothing', () => {
    const size = new ContextSize();
    size.replied({ inputTokens: 850 }, transcript([]));
    size.compacted({ after: 850 }, settings, transcript([]));
    expect(size.isDue(transcript([]), settings)).toBe(false);
    size.replied({ inputTokens: 930 }, transcript([]));
    expect(size.isDue(transcript([]), settings)).toBe(false);
    size.replied({ inputTokens: 940 }, transcript([]));
    expect(size.isDue(transcript([]), settings)).toBe(true);
  });

  test('goes on in the next run of the workflow', () => {
    const size = new ContextSize();
    size.replied({ inputTokens: 700 }, transcript([said('u')]));
    const messages = [said('u'), ...round('a', [400])];
    const next = new ContextSize();
    next.resume(size.carried(transcript(messages), settings), transcript(messages));
    expect(next.tokens(transcript(messages), settings)).toBe(size.tokens(transcript(messages), settings));
  });
});

describe('the window of a model', () => {
  test.each([
    ['gpt-5.5', 922_000],
    ['openai/gpt-5.5-2026-04-23', 922_000],
    ['gpt-5-mini', 272_000],
    ['gpt-4o', 128_000],
    ['gpt-5-chat-latest', 128_000],
    ['gpt-5.4', 922_000],
    ['gpt-5.4-mini-2026-03-17', 272_000],
    ['gpt-5.6-luna', 922_000],
    ['claude-sonnet-5-5', 1_000_000],
    ['anthropic/claude-opus-4.6', 1_000_000],
    ['claude-opus-4-5-20251101', 200_000],
    ['claude-haiku-4-5', 200_000],
    ['claude-haiku-6', undefined],
    ['models/gemini-3.8-flash', 1_048_576],
    ['gpt-5.9', undefined],
    ['my-model', undefined],
  ])('%s is %s', (model, window) => {
    expect(knownWindow(model)).toBe(window);
  });
});

describe('what a model is to summarise', () => {
  // MC-101
  test('is never longer than it may be, begins with an earlier summary, and is well-formed', () => {
    const old: Message = {
      ...said('c', 'Earlier: 😀'.repeat(50)),
      covers: { from: 'a', to: 'b', count: 2 },
    } as Message;
    const messages = [old, ...Array.from({ length: 40 }, (_, index) => round(`a${index}`, [9000])).flat()];
    for (const most of [100_000, 20_000, 2001, 500]) {
      const text = conversationText(messages, most);
      expect(text.length).toBeLessThanOrEqual(most);
      expect(text.startsWith('[earlier summary]')).toBe(true);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  test('tells how long the summary may be, and what it is to keep above all', () => {
    const request = summaryRequest([said('u')], { maxTokens: 1000, focus: 'the order id' }, 10_000);
    expect(request).toContain('at most 700 words');
    expect(request).toContain('Above all keep: the order id');
  });
});
