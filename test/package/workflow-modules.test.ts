import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../src/', import.meta.url));
const files = ['workflows', 'shared'].flatMap((name) =>
  readdirSync(`${folder}${name}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${name}/${file}`),
);

/** At the top of a module, or of a class: what can be assigned or filled, or remembers where it was. */
const KEEPS_STATE = [
  /^(?:export )?(?:let|var) /m,
  /^(?:export )?const [^=]*=\s*(?:new |Object\.create\(|\[\]|\{\}|.*\/[a-z]*[gy][a-z]*;)/m,
  /^ +static (?!readonly)[^(]*[=;]/m,
];
const keepsState = (code: string) => KEEPS_STATE.some((each) => each.test(code));

// A worker loads them once for all turns (docs/decisions/2026-11-30-modules-once-a-worker.md).
test('no module of the workflows keeps state at its top', () => {
  expect(files.length).toBeGreaterThan(100);
  const keeping = files.filter((file) => keepsState(readFileSync(folder + file, 'utf8')));
  expect(keeping).toEqual([]);
});

test.each([
  'let count = 0;',
  'export let last: string;',
  'const known = new Map();',
  'const known: Map<string, Known> =\n  new Map();',
  'const seen: string[] = [];',
  'const cache = {};',
  'const cache: Cache = Object.create(null);',
  'const WORD = /a/gu;',
])('as %j would be', (line) => {
  expect(keepsState(`import a from 'a';\n\n${line}\n`)).toBe(true);
  expect(keepsState(`function inside() {\n  ${line}\n}\n`)).toBe(false);
});

test('nor has a class a field that all turns would share', () => {
  expect(keepsState('class Turn {\n  static count = 0;\n}\n')).toBe(true);
  expect(keepsState('class Turn {\n  static readonly most = 5;\n}\n')).toBe(false);
});

test('and a worker finds them preloaded', () => {
  const bundle = readFileSync(new URL('../../dist/workflow-bundle.js', import.meta.url), 'utf8');
  const preloaded = /exports\.preloadModules = function preloadModules\(\) \{([^}]*)\}/.exec(bundle)?.[1];
  expect(preloaded).toContain('joined-workflows');
});
