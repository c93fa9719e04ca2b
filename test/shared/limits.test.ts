import { describe, expect, test } from 'vitest';
import { exceededBudget, isLimits, shareOf, smallerBudget, spentOf } from '../../src/shared/limits.js';
import { addFailed, addUsage, noUsage } from '../../src/shared/usage.js';

const call = { inputTokens: 80, outputTokens: 20, costUsd: 0.5 };
const used = addUsage(addUsage(noUsage, call), call);

describe('what a turn has spent', () => {
  test('is what its calls have told', () => {
    expect(spentOf(used)).toEqual({ tokens: 200, usd: 1 });
  });

  test('counts a try that was cut and told nothing as a call on average', () => {
    expect(spentOf(addFailed(used, 'unknown'))).toEqual({ tokens: 300, usd: 1.5 });
  });

  test('counts each call that tells nothing as one that told, however many there are', () => {
    let usage = addUsage(noUsage, { inputTokens: 100, outputTokens: 10 });
    for (let calls = 0; calls < 20; calls++) usage = addUsage(usage, undefined);
    expect(spentOf(usage).tokens).toBe(21 * 110);
  });

  test('does not count a try that had cost nothing', () => {
    expect(spentOf(addFailed(used, undefined))).toEqual({ tokens: 200, usd: 1 });
  });

  test('keeps what is known where one call has no price', () => {
    const sum = addUsage(used, { inputTokens: 80, outputTokens: 20 });
    expect(sum).not.toHaveProperty('costUsd');
    expect(sum).toMatchObject({ knownCostUsd: 1, unpricedCalls: 1 });
    expect(addUsage(sum, call)).toMatchObject({ knownCostUsd: 1.5 });
  });
});

test('the budget that is used up is told with what was allowed and spent', () => {
  expect(exceededBudget({}, used, 1e9)).toBeUndefined();
  expect(exceededBudget({ tokens: 201, costUsd: 1.01, timeMs: 11 }, used, 10)).toBeUndefined();
  expect(exceededBudget({ tokens: 200 }, used, 0)).toEqual({ limit: 'tokens', allowed: 200, spent: 200 });
  expect(exceededBudget({ costUsd: 0.7 }, used, 0)).toEqual({ limit: 'cost', allowed: 0.7, spent: 1 });
  expect(exceededBudget({ timeMs: 5 }, used, 6)).toEqual({ limit: 'time', allowed: 5, spent: 6 });
});

describe('what a sub-agent is given', () => {
  const budget = { tokens: 1000, costUsd: 5, timeMs: 60_000 };

  test('is an equal share of what is left, and all of the time', () => {
    expect(shareOf(budget, used, 20_000, [], 4)).toEqual({ tokens: 200, costUsd: 1, timeMs: 40_000 });
  });

  test('leaves alone what is set aside for those that run', () => {
    const reserved = [shareOf(budget, used, 0, [], 2)];
    expect(shareOf(budget, used, 0, reserved, 1)).toMatchObject({ tokens: 400, costUsd: 2 });
  });

  test('is nothing where nothing is left, and no bound where there is none', () => {
    expect(shareOf({ tokens: 100 }, used, 0, [], 1)).toEqual({ tokens: 0 });
    expect(shareOf({}, used, 0, [], 1)).toEqual({});
  });

  test('goes before its own limit only where it is less', () => {
    expect(smallerBudget({ tokens: 10, timeMs: 5 }, { tokens: 20, costUsd: 1 })).toEqual({
      tokens: 10,
      costUsd: 1,
      timeMs: 5,
    });
  });
});

test('limits that are none are named with their place', () => {
  const bad = { tokens: 1.5, cost: { usd: -1 }, time: 'soon', calls: 3 };
  const problems = isLimits(bad, 'limits').map((problem) => problem.split(':')[0]);
  expect(problems).toEqual(['limits.calls', 'limits.tokens', 'limits.cost.usd', 'limits.time']);
  expect(isLimits({ tokens: 0, cost: { usd: 2 }, time: '10 minutes', iterations: 5 }, 'limits')).toEqual([]);
});
