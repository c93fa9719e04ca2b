import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCommandLine } from '../../src/permissions/shell.js';
import { alwaysOf, run } from './judge.js';

const allow = ['bash(git status*)', 'bash(ls *)', 'bash(echo *)', 'bash(npm test:*)'];
const deny = ['bash(rm *)', 'bash(git push*)', 'bash(curl * | sh)'];

describe('a rule that allows a command', () => {
  test.each([
    'git status',
    'git status -s',
    'git st"at"us -s',
    'ls',
    'ls *.ts',
    'git status && ls -la | echo done; ls',
    '(git status); { ls -l; }',
    'git status > /dev/null 2>&1',
    'if git status; then ls; fi',
    '{ git status; ls; } > /dev/null 2>&1',
    'npm test',
    'npm test -- --watch',
    "echo 'a; rm -rf /'",
    'git status # rm -rf /',
  ])('allows %s', async (command) => {
    expect(await run(command, { allow, deny })).toBe('allow');
  });

  test.each([
    ['a chain', 'git status; make'],
    ['a pipe', 'git status | tee x'],
    ['a list', 'git status && make || ls'],
    ['the background', 'make & git status'],
    ['a substitution', 'git status $(make)'],
    ['a backtick', 'git status `make`'],
    ['a substitution in quotes', 'git status "$(make)"'],
    ['a substitution in a default', 'git status \u0024{x:-$(make)}'],
    ['a process substitution', 'git status <(make)'],
    ['an unquoted here-document', 'git status <<E\n$(make)\nE'],
    ['a here-document', "git status <<'E'\nx\nE"],
    ['a here-string', 'git status <<< x'],
    ['a variable', 'git status $x'],
    ['braces', 'git status {a,b}'],
    ['a redirection to a file', 'git status > ~/.bashrc'],
    ['a redirection from a file', 'ls < secret'],
    ['a redirection of both', 'ls &> x'],
    ['a redirection of a group', '{ git status; } > ~/.bashrc'],
    ['a redirection of a subshell', '(git status) >& x'],
    ['a redirection of a loop', 'while ls; do git status; done < secret'],
    ['a redirection of a branch', 'if ls; then git status; fi >> ~/.bashrc'],
    ['a redirection of a test', '[[ -f x ]] > x && git status'],
    ['a variable before it', 'PATH=. git status'],
    ['a loop that sets a variable', 'for PATH in .; do git status; done'],
    ['a menu that sets a variable', 'select PATH in .; do git status; done'],
    ['an expansion that sets a variable', '[[ -n \u0024{GIT_PAGER:=./x} ]] && git status'],
    ['an assignment', 'PATH=.; git status'],
    ['a wrapper', 'sudo git status'],
    ['a shell', "sh -c 'git status'"],
    ['a function', 'git() { make; }; git status'],
    ['a longer name', 'lsof'],
    ['another case', 'GIT STATUS'],
    ['another line', 'git status\nmake'],
    ['a carriage return', 'git status\r'],
    ['a broken quote', 'git status "'],
    ['a broken substitution', 'git status $('],
    ['nothing', ''],
  ])('does not cover %s', async (_what, command) => {
    expect(await run(command, { allow, deny })).toBe('ask');
  });

  test('covers nothing of what is in an allowed wrapper', async () => {
    const rules = { allow: ['bash(find *)', 'bash(xargs *)', 'bash(sh *)', 'bash(ls *)'] };
    expect(await run('find . -name x', rules)).toBe('allow');
    expect(await run('find . -exec rm {} +', rules)).toBe('ask');
    expect(await run('ls | xargs rm', rules)).toBe('ask');
    expect(await run("sh -c 'ls -l'", rules)).toBe('allow');
    expect(await run("sh -c 'ls -l; rm x'", rules)).toBe('ask');
    expect(await run('ls | sh -s', rules)).toBe('ask');
  });
});

/** A word, and ways to write it that mean the same to a shell. */
const written = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom(...'abrm -*$;|&<>()#~{},é\\"\n'), minLength: 1, maxLength: 4 }),
      fc.constantFrom('single', 'double', 'escaped', 'ansi'),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((pieces) => ({
    word: pieces.map(([text]) => text).join(''),
    source: pieces.map(([text, how]) => writtenAs(text, how)).join(''),
  }));

function writtenAs(text: string, how: string): string {
  if (how === 'single') return `'${text}'`;
  if (how === 'double') return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
  if (how === 'ansi') return `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  return text
    .replaceAll('\n', "'\n'")
    .replace(/[^a-z\n'é]/g, '\\$&')
    .replaceAll("\\'\n\\'", "'\n'");
}

test('words are read as bash reads them, however they are quoted', () => {
  const lines = fc.sample(fc.array(written, { minLength: 1, maxLength: 4 }), 300);
  const script = lines.map(
    (words) => `printf '%s\\0' ${words.map(({ source }) => source).join(' ')}; printf '\\1'`,
  );
  const { stdout } = spawnSync('bash', ['-c', script.join('\n')], { encoding: 'utf8' });
  const told = stdout.split('\u0001').map((line) => line.split('\0').slice(0, -1));
  for (const [index, words] of lines.entries()) {
    const source = `echo ${words.map((each) => each.source).join(' ')}`;
    const { commands, problem } = readCommandLine(source);
    expect(problem).toBe(undefined);
    expect(commands[0]?.words.slice(1).map(({ text }) => text)).toEqual(told[index]);
  }
});

describe('"always"', () => {
  test.each([
    ["rm '*'", 'rm *'],
    ['rm "a b"', 'rm a b'],
    ["rm ''", 'rm'],
    ['rm \\~', 'rm ~'],
    ["rm '*'*", 'rm **'],
    ['ls a', 'ls a b'],
    ['ls', 'ls; ls -l'],
    ["echo ':*'", 'echo : x'],
    ["echo '\\'", 'echo x'],
  ])('after %s does not allow %s', async (allowed, other) => {
    const always = await alwaysOf(allowed);
    expect(await run(allowed, { turn: { always } })).toBe(always.length > 0 ? 'allow' : 'ask');
    expect(await run(other, { turn: { always } })).toBe('ask');
  });

  test('allows what is the same to a shell, and nothing else', async () => {
    const lines = fc.array(written, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lines, lines, async (one, other) => {
        const [a, b] = [one, other].map((words) => `echo ${words.map(({ source }) => source).join(' ')}`);
        const always = await alwaysOf(a ?? '');
        expect(always).toHaveLength(1);
        const isSame =
          JSON.stringify(one.map(({ word }) => word)) === JSON.stringify(other.map(({ word }) => word));
        expect(await run(a ?? '', { turn: { always } })).toBe('allow');
        expect(await run(b ?? '', { turn: { always } })).toBe(isSame ? 'allow' : 'ask');
      }),
    );
  });
});
