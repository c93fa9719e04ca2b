import { describe, expect, test } from 'vitest';
import { decide, deniedNow } from '../../src/permissions/decide.js';
import { parsedRules } from '../../src/permissions/matching.js';
import { type PermissionMode, type PermissionRules, rulesBelow } from '../../src/shared/permissions.js';
import { bash, readFile, writeFile } from './judge.js';

const rules = (mode: PermissionMode, more: Partial<PermissionRules> = {}): PermissionRules => {
  return { mode, allow: [], ask: [], deny: [], ...more };
};

/** What is decided in the turn of a sub-agent with its own permissions, or without. */
async function below(
  command: string,
  above: PermissionRules | undefined,
  own?: PermissionRules,
  always?: string[],
) {
  const parsed = own && {
    mode: own.mode,
    allow: parsedRules(own.allow),
    ask: parsedRules(own.ask),
    deny: parsedRules(own.deny),
  };
  const call = { tool: bash, input: { command } };
  return (await decide(call, parsed, always && { always }, above))?.policy;
}

describe('what holds below', () => {
  test('rules that deny and ask add up; those that allow and the mode are the last that has any', () => {
    const top = rules('accept-edits', { allow: ['a'], ask: ['b'], deny: ['c'] });
    expect(rulesBelow(top, undefined, undefined)).toEqual(top);
    expect(rulesBelow(undefined, undefined, top)).toEqual(top);
    expect(rulesBelow(rules('default', { allow: ['d'], deny: ['e'] }), undefined, top)).toEqual(
      rules('default', { allow: ['d'], ask: ['b'], deny: ['e', 'c'] }),
    );
  });

  test('the mode in which a turn was started goes down, and plan is never taken back', () => {
    expect(rulesBelow(undefined, 'default', undefined)).toEqual(rules('default'));
    expect(rulesBelow(rules('default'), 'yolo', undefined)?.mode).toBe('yolo');
    expect(rulesBelow(rules('yolo'), 'yolo', rules('plan'))?.mode).toBe('plan');
    expect(rulesBelow(undefined, undefined, undefined)).toBe(undefined);
  });

  test('what an agent in the mode yolo would ask about itself, nobody below it has to', () => {
    const own = rules('yolo', { ask: ['bash'], deny: ['x'] });
    expect(rulesBelow(own, undefined, rules('default', { ask: ['y'] }))).toEqual(
      rules('yolo', { ask: ['y'], deny: ['x'] }),
    );
  });
});

describe('in the turn of a sub-agent', () => {
  test("a caller's deny is stronger than all that its own rules and people allow", async () => {
    const above = rules('yolo', { deny: ['bash(rm *)'] });
    const own = rules('yolo', { allow: ['bash'] });
    expect(await below('rm x', above, own)).toBe('deny');
    expect(await below('rm x', above, own, ['bash'])).toBe('deny');
    expect(await below('$X', above, own)).toBe('ask');
    const call = { tool: bash, input: { command: 'RM x' } };
    expect(await deniedNow(call, undefined, above)).toBe('the rule bash(rm *)');
  });

  test("a caller's ask is stronger than its own rules and mode, and weaker than what a person said", async () => {
    const above = rules('default', { ask: ['bash(git push*)'] });
    const own = rules('yolo', { allow: ['bash'] });
    expect(await below('git push', above, own)).toBe('ask');
    expect(await below('git push', above, own, ['bash(git push)'])).toBe('allow');
    expect(await below('git log', above, own)).toBe('allow');
  });

  test('without permissions of its own it has its caller’s; with them it has its own, but for plan', async () => {
    const above = rules('default', { allow: ['bash(ls *)'] });
    expect([await below('ls', above), await below('make', above)]).toEqual(['allow', 'ask']);
    expect(await below('ls', above, rules('default'))).toBe('ask');
    expect(await below('make', above, rules('yolo'))).toBe('allow');
    expect(await below('make', rules('plan'), rules('yolo', { allow: ['bash'] }), ['bash'])).toBe('deny');
    expect(await below('make', undefined)).toBe(undefined);
  });

  test("the mode plan of a caller lets it read, and is not ended by the turn's own mode", async () => {
    const above = rules('plan');
    const turn = { mode: 'yolo' } as const;
    const of = async (tool: typeof readFile) =>
      (await decide({ tool, input: { path: 'a' } }, undefined, turn, above))?.policy;
    expect([await of(readFile), await of(writeFile)]).toEqual(['allow', 'deny']);
  });
});
