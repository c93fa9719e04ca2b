import { expect, test } from 'vitest';
import { changedLimits, exceededLimit, limitText, shareOfSession } from '../../src/shared/session-limits.js';
import { addUsage, noUsage } from '../../src/shared/usage.js';

const usage = addUsage(noUsage, { inputTokens: 90, outputTokens: 10, costUsd: 0.25 });

test('a turn is given what is left of each limit; a limit with nothing left is named', () => {
  expect(shareOfSession({}, usage, 3)).toBeUndefined();
  expect(shareOfSession({ tokens: 150, cost: { usd: 1 }, turns: 4 }, usage, 3)).toEqual({
    ...{ tokens: 50, cost: { usd: 0.75 } },
  });
  const exceeded = { limit: 'cost', allowed: 0.2, spent: 0.25, of: 'session' };
  expect(shareOfSession({ cost: { usd: 0.2 } }, usage, 3)).toEqual({ cost: { usd: 0 }, exceeded });
  expect(exceededLimit({ turns: 3 }, usage, 3)).toMatchObject({ limit: 'turns', spent: 3 });
  expect(exceededLimit({ tokens: 101, turns: 4 }, usage, 3)).toBeUndefined();
});

test('a change of limits leaves those that it does not name, and `null` takes one away', () => {
  expect(changedLimits({ tokens: 1, turns: 2 }, { turns: null, cost: { usd: 3 } })).toEqual({
    ...{ tokens: 1, cost: { usd: 3 } },
  });
});

test.each([
  ['tokens', /may use 1 tokens, and has used 2. Raise that: setLimits/],
  ['cost', /may cost [$]1, and has cost [$]2/],
  ['turns', /may have 1 turns, and has had 2/],
] as const)('a message that is refused for its %s says what to do', (limit, told) => {
  expect(limitText({ limit, allowed: 1, spent: 2 })).toMatch(told);
});
