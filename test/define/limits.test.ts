import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AgentOptions } from '../../src/define/define-agent.js';
import { sleepUntil } from '../../src/define/sleep-until.js';
import { agentWith } from '../turn/agents.js';
import { bounded } from './documented-limits.js';

test('the agent of docs/limits.md is one that can be defined', () => {
  const code = readFileSync('test/define/documented-limits.ts', 'utf8');
  expect(readFileSync('docs/limits.md', 'utf8')).toContain(
    `\`\`\`ts\n${code.replace('../../src/index.js', 'holdfast')}\`\`\``,
  );
  expect(bounded.limits).toEqual({ iterations: 40, tokens: 200_000, costUsd: 2, timeMs: 3_600_000 });
});

test('by default there is a limit of iterations and a guard against loops, and nothing else', () => {
  const agent = agentWith([]);
  expect(agent.limits).toEqual({ iterations: 199 });
  expect(agent.loopGuard).toEqual({ tellAfter: 3, stopAfter: 8 });
  expect(agentWith([], { loopGuard: false })).not.toHaveProperty('loopGuard');
  expect(agentWith([], { loopGuard: { stopAfter: 2 } }).loopGuard).toEqual({ tellAfter: 2, stopAfter: 2 });
});

describe('what is out of range is refused, with its place:', () => {
  test.each<[string, Partial<AgentOptions>]>([
    ['limits.tokens', { limits: { tokens: 0 } }],
    ['limits.cost', { limits: { cost: { usd: 0 } } }],
    ['limits.time', { limits: { time: -5 } }],
    ['limits.iterations', { limits: { iterations: 1.5 } }],
    ['loopGuard', { loopGuard: { tellAfter: 1 } }],
    ['loopGuard', { loopGuard: { tellAfter: 9 } }],
    ['loopGuard.stopAfter', { loopGuard: { stopAfter: 100_000 } }],
    ['planning.every', { planning: { every: 0 } }],
  ])('%s', (place, options) => {
    expect(() => agentWith([], options)).toThrow(place);
    expect(() => agentWith([], options)).toThrow(/^Agent tester/);
  });

  test('the longest sleep', () => {
    expect(() => sleepUntil({ max: '400 days' })).toThrow('366 days');
  });
});
