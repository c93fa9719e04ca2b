import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folded } from '../../src/permissions/folded.js';
import { PathPattern } from '../../src/permissions/path-pattern.js';
import { parseRule } from '../../src/permissions/rule.js';
import { literally, Wildcard } from '../../src/permissions/wildcard.js';
import type { PermissionMode } from '../../src/shared/permissions.js';
import { bash, judge, readFile, run, search, write, writeFile } from './judge.js';

describe('a rule about paths', () => {
  const deny = ['write_file(secrets/**)', 'write_file(.env)', 'write_file(*.pem)'];
  test.each([
    'secrets/a',
    'secrets/a/b',
    './secrets/a',
    'x/../secrets/a',
    'x/./../secrets//a',
    'SECRETS/a',
    'sеcrets/a',
    's\u200becrets/a',
    's\u00adecrets/a',
    'ｓecrets/a',
    '𝐬ecrets/a',
    'secrets∕a',
    'link/a',
    '.env',
    'a/b/.env',
    '.ENV',
    '․env',
    'a/key.pem',
    'a/key.PEM',
  ])('denies %j in every mode', async (path) => {
    for (const mode of ['default', 'accept-edits', 'plan', 'yolo'] as const) {
      expect(await write(path, { deny, mode, allow: ['write_file'], turn: { always: ['*'] } })).toBe('deny');
    }
  });

  test.each(['src/a', 'secret/a', 'mysecrets/a', 'a.env'])('has nothing against %s', async (path) => {
    expect(await write(path, { deny, mode: 'yolo' })).toBe('allow');
  });

  test('does not look at what a file is to hold', async () => {
    const input = { path: 'a', content: 'secrets/a and x.pem' };
    expect(await judge(writeFile, input, { deny, mode: 'yolo' })).toBe('allow');
    expect(await judge(writeFile, input, { deny: ['write_file(content: *pem)'], mode: 'yolo' })).toBe(
      'allow',
    );
  });

  test('that allows is read to the letter, of the path that it really is', async () => {
    const allow = ['write_file(src/**)', 'write_file(*.md)', 'write_file(/a/*.ts)'];
    const told = async (path: string) => await write(path, { allow });
    for (const path of ['src/a', 'src/a/b', './src/a', 'docs/x.md', 'a/b.ts'])
      expect(await told(path)).toBe('allow');
    for (const path of ['SRC/a', 'srс/a', 'src/../b', 'src/../../b', 'b/src/a', 'a/c/b.ts', 'x/a/b.ts']) {
      expect(await told(path)).toBe('ask');
    }
    expect(await write('link/a', { allow: ['write_file(link/**)'] })).toBe('ask');
    expect(await write('link/a', { allow: ['write_file(secrets/**)'] })).toBe('allow');
  });
});

describe('a rule about any tool', () => {
  test.each([
    [{ query: 'drop table users' }],
    [{ query: 'DROP  TABLE users'.replace('  ', ' ') }],
    [{ query: 'x', nested: [{ deep: 'drop table y' }] }],
    [{ query: 'dr\u200bop table users' }],
    [{ query: 'drор table users' }],
    [{ 'drop table x': 1 }],
    [{ query: 'drop  table\tusers' }],
    [{ query: 'drop\ntable users' }],
    [{ query: 'drop%20table users' }],
    [{ query: ' drop table users' }],
    [{ query: '%20\u00a0drop table users' }],
    [{ query: '\n  drop table users ' }],
  ])('that denies looks at every text: %j', async (input) => {
    expect(await judge(search, input, { deny: ['mcp__docs__*(drop table *)'], mode: 'yolo' })).toBe('deny');
    expect(await judge(search, input, { deny: ['MCP__DOCS__SEARCH(drop table *)'], mode: 'yolo' })).toBe(
      'deny',
    );
  });

  test('may name an argument that the schema of an MCP server keeps to itself', async () => {
    const silent = {
      ...search,
      mcp: { server: 'docs', tool: 'search' },
      schema: { type: 'object', properties: {} },
    };
    const rules = { deny: ['*(query: drop *)'], mode: 'yolo' as const };
    expect(await judge(silent, { query: 'drop table users' }, rules)).toBe('deny');
    expect(await judge(silent, { other: 'drop table users' }, rules)).toBe('allow');
  });

  test('means what it meant, whatever arguments a model invents', async () => {
    const rules = { deny: ['*(http: evil*)'], mode: 'yolo' as const };
    const tool = { ...search, mcp: { server: 'docs', tool: 'search' } };
    expect(await judge(tool, { query: 'http: evil', http: 'x' }, rules)).toBe('deny');
  });

  test('may name the argument, whatever form it has', async () => {
    for (const query of [['a', 'secrets/b'], { deep: ['x/../secrets/b'] }, 'secrets%2fb'])
      expect(await judge(search, { query }, { deny: ['*(query: secrets/*)'], mode: 'yolo' })).toBe('deny');
    const rules = { allow: ['mcp__docs__search(query: select *)', 'mcp__docs__search(limit: 5)'] };
    expect(await judge(search, { query: 'select 1' }, rules)).toBe('allow');
    expect(await judge(search, { limit: 5 }, rules)).toBe('allow');
    expect(await judge(search, { path: 'select 1' }, rules)).toBe('ask');
    expect(await judge(search, { query: 'x', path: 'y' }, { deny: ['*(path: y)'], mode: 'yolo' })).toBe(
      'deny',
    );
    expect(await judge(search, { query: 'y', path: 'x' }, { deny: ['*(path: y)'], mode: 'yolo' })).toBe(
      'allow',
    );
  });

  test('that allows is about the first text of the schema, however the model orders them', async () => {
    const rules = { allow: ['mcp__docs__search(select *)'] };
    expect(await judge(search, { query: 'drop', path: 'select 1' }, rules)).toBe('allow');
    expect(await judge(search, { query: 'select 1', path: 'drop' }, rules)).toBe('ask');
  });

  test("that denies is stronger than a server's word that its tool only reads", async () => {
    const readOnly = { ...search, effects: 'none' as const, approval: 'allow' as const };
    for (const mode of ['default', 'accept-edits', 'plan', 'yolo'] as const) {
      expect(await judge(readOnly, { query: 'x' }, { mode })).toBe('allow');
      expect(await judge(readOnly, { query: 'x' }, { mode, deny: ['mcp__docs__*'] })).toBe('deny');
    }
  });

  test("may name a server's tool by the server's own name, which no other tool can take", async () => {
    const hashed = {
      ...search,
      name: 'docs__issues_create_a1b2c3',
      mcp: { server: 'docs', tool: 'issues.create' },
    };
    const own = { ...search, name: 'docs__issues.create' };
    const told = async (tool: typeof search, rule: string) => [
      await judge(tool, { query: 'x' }, { allow: [rule] }),
      await judge(tool, { query: 'x' }, { deny: [rule], mode: 'yolo' }),
    ];
    for (const rule of [
      'docs:issues.create',
      'docs:*',
      'docs:issues.create(query: x)',
      'docs__issues_create_a1b2c3',
    ])
      expect(await told(hashed, rule)).toEqual(['allow', 'deny']);
    for (const rule of [
      'docs__issues.create',
      'docs__issues_create',
      'DOCS:ISSUES.create',
      'docs:іssues.create',
    ])
      expect(await told(hashed, rule)).toEqual(['ask', 'deny']);
    expect(await told(own, 'docs:issues.create')).toEqual(['ask', 'allow']);
  });

  test.each(['', '()', 'a b', 'a(b', 'a)b', '(x)'])('that can not be read is refused by name: %j', (text) => {
    expect(() => parseRule(text)).toThrow(JSON.stringify(text));
  });
});

describe('the modes', () => {
  const policies = async (mode: PermissionMode) => [
    await judge(readFile, { path: 'a' }, { mode }),
    await write('a', { mode }),
    await run('ls', { mode }),
  ];
  test('default asks for all that does not only read', async () => {
    expect(await policies('default')).toEqual(['allow', 'ask', 'ask']);
  });
  test('accept-edits runs edits', async () => {
    expect(await policies('accept-edits')).toEqual(['allow', 'allow', 'ask']);
  });
  test('plan only reads, whatever rules allow', async () => {
    expect(await policies('plan')).toEqual(['allow', 'deny', 'deny']);
    expect(await run('ls', { mode: 'plan', allow: ['bash'], turn: { always: ['bash'] } })).toBe('deny');
  });
  test('yolo asks for nothing', async () => {
    expect(await policies('yolo')).toEqual(['allow', 'allow', 'allow']);
    expect(await run('ls', { mode: 'yolo', ask: ['bash'] })).toBe('allow');
  });

  // MC-130: ours never lets what was said "always" override a deny, and looks at arguments
  test('a rule that asks is stronger than one that allows, and weaker than what a person said', async () => {
    const rules = { ask: ['bash(git push*)'], allow: ['bash(git *)'] };
    expect(await run('git log', rules)).toBe('allow');
    expect(await run('git push', rules)).toBe('ask');
    expect(await run('git push', { ...rules, turn: { always: ['bash(git push)'] } })).toBe('allow');
  });

  test("a tool's own policy holds where no rule speaks, and its deny always", async () => {
    const approval = ({ command }: { command: string }) =>
      command === 'no' ? ('deny' as const) : ('ask' as const);
    const tool = { ...bash, approval };
    expect(await judge(tool, { command: 'no' }, { mode: 'yolo', allow: ['bash'] })).toBe('deny');
    expect(await judge(tool, { command: 'ls' }, { allow: ['bash(ls *)'] })).toBe('allow');
    expect(await judge(tool, { command: 'ls' }, {})).toBe('ask');
    expect(await judge({ ...writeFile, approval: 'ask' }, { path: 'a' }, { mode: 'accept-edits' })).toBe(
      'ask',
    );
  });
});

describe('patterns', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'ab*?\\/. é'), maxLength: 12 });
  test('one made of a text matches that text and no other', () => {
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        const pattern = new Wildcard(literally(text), { one: true });
        expect(pattern.matches(text)).toBe(true);
        expect(pattern.matches(other)).toBe(text === other);
      }),
    );
  });

  test('a wildcard says what the regular expression says', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab*'), maxLength: 8 }), texts, (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's').test(text);
        expect(new Wildcard(pattern).matches(text)).toBe(expected);
      }),
    );
  });

  test('take no time, however they are made', () => {
    expect(new Wildcard('*a'.repeat(200)).matches(`${'a'.repeat(5000)}b`)).toBe(false);
    expect(new PathPattern('**/a/'.repeat(50)).matches(`${'a/'.repeat(500)}b`)).toBe(true);
  });

  test('what is folded stays as it is, whatever is added that nobody sees', () => {
    const unseen = fc.constantFrom('\u200b', '\u200d', '\u00ad', '\ufeff', '\u2060', '\ufe0f', '\u202e');
    fc.assert(
      fc.property(texts, unseen, fc.nat(12), (text, added, at) => {
        const once = folded(text);
        expect(folded(once)).toBe(once);
        expect(folded(text.toUpperCase())).toBe(folded(text.toUpperCase().toLowerCase()));
        expect(folded(text.slice(0, at) + added + text.slice(at))).toBe(once);
      }),
    );
  });
});
