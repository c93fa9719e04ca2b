import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DCLinter } from 'dclint';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const compose = read('docker-compose.yml');

/** What Compose's own schema, and the rules of its linter that are more than taste, say of a file. */
function problemsOf(path: string): string[] {
  const taste = [
    'require-project-name-field',
    'require-quotes-in-ports',
    'service-keys-order',
    'services-alphabetical-order',
  ];
  const rules = Object.fromEntries(taste.map((name) => [name, 0 as const]));
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
  // Its types name their files without an extension, which `nodenext` does not find.
  const results: { messages: { line: number; message: string }[] }[] = linter.lintFiles([path], false);
  return results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
}

test("docker-compose.yml fits Compose's schema", () => {
  expect(problemsOf(join(root, 'docker-compose.yml'))).toEqual([]);
});

test.each([
  ['an option that there is not', 'stop_grace_period', 'stop_grace_time'],
  ['a condition that there is not', 'service_completed_successfully', 'service_done'],
  ['an image without a version', 'postgres:16.13-alpine', 'postgres'],
])('%s would be found', (_, from, to) => {
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-compose-')), 'docker-compose.yml');
  writeFileSync(path, compose.replaceAll(from, to));
  expect(problemsOf(path)).not.toEqual([]);
});

test('every file that docker-compose.yml mounts is there, and in the package', () => {
  const mounted = [...compose.matchAll(/- \.\/([\w./-]+):/g)].map(([, path = '']) => path);
  expect(mounted).toHaveLength(3);
  expect(mounted.map((path) => read(path)).join('')).toContain('history.transferProcessorMaxPollRPS');
  expect(JSON.parse(read('package.json')).files).toEqual(
    expect.arrayContaining(['docker-compose.yml', 'deploy/dynamic-config.yaml', 'deploy/setup-*.sh']),
  );
});

test("Compose's dynamic configuration sets what the embedded server is started with", () => {
  const embedded = read('src/server/server-process.ts').matchAll(/'(history\.\w+)="?(\w+)"?'/g);
  const settings = [...embedded].map(([, key, value]) => `${key}:\n  - value: ${value}\n`);
  expect(settings).toHaveLength(3);
  for (const setting of settings) expect(read('deploy/dynamic-config.yaml')).toContain(setting);
});

test.each(['Dockerfile', 'templates/agent/Dockerfile'])(
  '%s runs as a user who is not root, from images of a version',
  (path) => {
    const lines = read(path).split('\n');
    const images = lines.filter((line) => line.startsWith('FROM '));
    for (const line of images) expect(line).toMatch(/^FROM [\w/]+:\d+\.\d+\.\d+-[\w-]+(?: AS \w+)?$/);
    const user = lines.findLastIndex((line) => /^USER [1-9]\d*$/.test(line));
    expect(user).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(lines.findIndex((line) => line.startsWith('ENTRYPOINT ["node", '))).toBeGreaterThan(user);
  },
);

test('what the Dockerfile copies is in its context', () => {
  const allowed = read('.dockerignore').match(/(?<=^!)\S+/gm) ?? [];
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'deploy/agent.js']));
  for (const path of copied)
    expect(path === '.' || allowed.some((each) => path === each || path.startsWith(`${each}/`))).toBe(true);
  for (const path of allowed) expect([...readdirSync(root), 'deploy']).toContain(path.split('/')[0]);
});
