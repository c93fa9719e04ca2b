import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { testPlace } from '../../src/testing/index.js';

const turnId = `tab-${randomUUID().slice(0, 8)}:1/a`;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-tab-'));
const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };

/** As the shell would fill in the line: what it offers. */
type Shell = (line: string) => string[];

const bash: Shell = (line) => {
  const script = `
source <(holdfast completion bash)
COMP_LINE="$1" COMP_POINT=\${#1}
# As bash itself cuts a line: at blanks, and at each : and =.
words="\${1//:/ : }"; words="\${words//=/ = }"; read -ra COMP_WORDS <<< "$words"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_holdfast
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf('bash', ['--norc', '-c', script, 'bash', line]);
};
const fish: Shell = (line) => {
  const script = 'holdfast completion fish | source; complete -C $argv[1]';
  return linesOf('fish', ['--no-config', '-c', script, line]).map((each) => each.split('\t')[0] ?? '');
};
/** In a terminal of its own, to which a Tab is typed: what it shows, until that has the text. */
function zshShows(line: string, expected: string): string {
  const script = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -D -u; source <(holdfast completion zsh); print rea""dy'
until [[ "$shown" == *ready* ]]; do zpty -r shell part; shown+="$part"; done
zpty -n -w shell "$1"$'\\t'
# What the line editor draws ends without a newline, which a read without -t waits for.
until [[ "$shown" == *"$2"* ]]; do zpty -r -t shell part && shown+="$part" || sleep 0.05; done
print -r -- "$shown"`;
  return linesOf('zsh', ['-f', '-c', script, 'zsh', line, expected]).join('\n');
}

function linesOf(program: string, args: string[]): string[] {
  const said = execFileSync(program, args, { env, encoding: 'utf8', cwd: folder, timeout: 30_000 });
  return said
    .split(/\r?\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['-c', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  const program = join(folder, 'holdfast');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve('dist/cli/main.js')}" "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'agent.mjs'), '');
  mkdirSync(join(folder, 'agents'));
  const { client } = await testPlace();
  await client.start('nobody', 'hello', { turnId, taskQueue: turnId });
  // What a server lists is a moment behind.
  await vi.waitUntil(
    async () => (await client.client.workflow.count(`WorkflowId = '${turnId}'`)).count === 1,
    {
      timeout: 20_000,
    },
  );
  return async () => await client.client.workflow.getHandle(turnId).terminate('the test is over');
});

describe.each([
  ['bash', bash],
  ['fish', fish],
] as const)('%s', (name, complete) => {
  test.runIf(isInstalled(name))('completes commands, options, and what options take', () => {
    expect(complete('holdfast tra')).toEqual(['transcript']);
    expect(complete('holdfast server st')).toEqual(expect.arrayContaining(['start', 'status', 'stop']));
    expect(complete('holdfast ps --a')).toEqual(expect.arrayContaining(['--all', '--agent']));
    expect(complete('holdfast doctor --api ')).toEqual(expect.arrayContaining(['chat', 'responses']));
    expect(complete('holdfast __')).toEqual([]);
  });

  test.runIf(isInstalled(name))('completes files where a file is wanted, folders where a folder is', () => {
    expect(complete('holdfast worker age').map((each) => each.replace(/\/$/, ''))).toEqual(
      expect.arrayContaining(['agent.mjs', 'agents']),
    );
    expect(complete('holdfast run -w age').map((each) => each.replace(/\/$/, ''))).toEqual(['agents']);
  });

  test.runIf(isInstalled(name))('completes the ids of turns, also those with a colon', () => {
    const offered = complete(`holdfast show ${turnId.slice(0, -2)}`);
    // Bash keeps what stands before the colon.
    expect(offered).toEqual([name === 'bash' ? '1/a' : turnId]);
    expect(complete('holdfast show no-such-turn')).toEqual([]);
  });
});

describe('zsh', () => {
  test.runIf(isInstalled('zsh'))('completes commands and the ids of turns', () => {
    expect(zshShows('holdfast server sta', '-- Say where')).toMatch(/start +-- Start it/);
    // What is typed already is not written again.
    expect(zshShows(`holdfast show ${turnId.slice(0, 12)}`, ':1/a')).toContain(':1/a');
  });
});
