import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { run } from './judge.js';

const root = mkdtempSync(join(tmpdir(), 'holdfast-bash-'));
afterAll(() => rmSync(root, { recursive: true }));
const [programs, here, marker] = [join(root, 'bin'), join(root, 'here'), join(root, 'bad-has-run')];
mkdirSync(programs);
mkdirSync(here);
for (const [name, body] of [
  ['ok', ':'],
  ['bad', `echo > ${marker}`],
]) {
  writeFileSync(join(programs, name ?? ''), `#!/bin/sh\n${body}\n`);
  chmodSync(join(programs, name ?? ''), 0o755);
}

/** Nothing that defines a function or a loop: what is allowed is run. */
const piece = fc.constantFrom(
  ...[
    'ok',
    'bad',
    'ok ',
    ' bad',
    'b',
    'ad',
    'a',
    ' ',
    ' ',
    '\n',
    '\t',
    ';',
    ' && ',
    ' || ',
    ' | ',
    ' & ',
    '! ',
  ],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '\\\n',
    '$(',
    ')',
    '<(',
    "$'",
    '$"',
    '\\x62ad',
    '#',
    ' # ',
    '$x',
    '${x:-',
    '${x#',
    '}',
  ],
  ...[
    'x=bad ',
    'x=bad\n',
    'eval ',
    'sh -c ',
    'bash -c ',
    'command ',
    'exec ',
    'env ',
    'xargs ',
    'time ',
    'trap ',
  ],
  ...[
    '<<E\n',
    "<<'E'\n",
    '\nE\n',
    '<<<',
    ' > f',
    ' 2>&1',
    ' < /dev/null',
    '[[ ',
    ' ]]',
    '$((',
    '))',
    '((',
    '[',
    ']',
  ],
  ...[
    'if ',
    ' then ',
    ' fi',
    'case x in x',
    ' esac',
    ';;',
    '*',
    '?',
    '{bad,ok}',
    '\u00a0',
    '\r',
    'é',
    '%',
    '=',
    '-',
    '--',
  ],
);
const samples = Number(process.env['BASH_SAMPLES'] ?? 1500);

test('a command that is allowed does not run what is denied, as real bash runs it', async () => {
  const sources = fc.sample(
    fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join('')),
    samples,
  );
  const allowed: string[] = [];
  for (const source of new Set(sources)) {
    const byMode = await run(source, { deny: ['bash(bad *)'], mode: 'yolo' });
    const byRule = await run(source, { deny: ['bash(bad *)'], allow: ['bash(ok *)'] });
    if (byMode === 'allow' || byRule === 'allow') allowed.push(source);
  }
  expect(allowed.length).toBeGreaterThan(samples / 50);
  for (const source of allowed) {
    const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: here };
    spawnSync('/bin/bash', ['-c', source], { cwd: here, env, timeout: 2000, input: '' });
    if (existsSync(marker))
      throw new Error(`It was allowed, and ran what is denied: ${JSON.stringify(source)}`);
  }
});
