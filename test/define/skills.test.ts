import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type AgentOptions, defineAgent } from '../../src/define/define-agent.js';
import { frontmatter } from '../../src/define/frontmatter.js';
import { readSkillTool } from '../../src/define/read-skill.js';

async function folderWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-skills-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

function skill(name: string, description = 'Does something.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\nDo it well.\n`;
}

function agent(options: Partial<AgentOptions>) {
  return defineAgent({ name: 'a', instructions: 'Be good.', model: 'none', ...options });
}

async function instructionsOf(options: Partial<AgentOptions>): Promise<string> {
  const { instructions } = agent(options);
  const turn = { prompt: 'hi', turnId: 't1', metadata: {}, signal: new AbortController().signal };
  return typeof instructions === 'string' ? instructions : await instructions(turn);
}

async function read(root: string, name: string, file?: string): Promise<string> {
  const tool = readSkillTool({ folders: [root] });
  return await tool.run({ name, ...(file !== undefined && { file }) }, undefined as never);
}

test("files of instructions come after the agent's own, as they are at each turn", async () => {
  const root = await folderWith({ 'AGENTS.md': 'Use tabs.\n' });
  const path = join(root, 'AGENTS.md');
  const options = { instructionFiles: [path, { path: join(root, 'MORE.md'), optional: true }] };
  const before = await instructionsOf(options);
  expect(before).toBe(`Be good.\n\nFrom the file ${path}:\n\nUse tabs.`);
  await writeFile(path, 'Use spaces.');
  expect(await instructionsOf(options)).toContain('Use spaces.');
  const asked = {
    instructions: ({ prompt }: { prompt: string }) => `Said: ${prompt}.`,
    instructionFiles: [path],
  };
  expect(await instructionsOf(asked)).toContain('Said: hi.\n\nFrom the file');
});

test('a file of instructions that is missing or too long is told by its name', async () => {
  const root = await folderWith({ 'LONG.md': 'x'.repeat(100_001), 'LOGO.md': new Uint8Array([65, 0, 66]) });
  await expect(instructionsOf({ instructionFiles: [join(root, 'NONE.md')] })).rejects.toThrow(
    /the file .*NONE\.md can't be read: ENOENT/,
  );
  await expect(instructionsOf({ instructionFiles: [join(root, 'LONG.md')] })).rejects.toThrow(
    'takes 100001 bytes; a file of instructions may take 100000',
  );
  await expect(instructionsOf({ instructionFiles: [join(root, 'LOGO.md')] })).rejects.toThrow('is no text');
});

test('skills are listed by name and description, and there is a tool that reads them', async () => {
  const root = await folderWith({
    'pdf/SKILL.md': skill('pdf', 'Fills forms.'),
    'excel/SKILL.md': skill('excel'),
    'notes.txt': 'not a skill',
    'empty/readme.md': 'not one either',
  });
  expect(await instructionsOf({ skills: [root] })).toBe(
    'Be good.\n\nSkills are instructions for particular kinds of work. Before such work read the skill with read_skill, and follow it.\n' +
      '- excel: Does something.\n- pdf: Fills forms.',
  );
  expect(agent({ skills: [root] }).tools.map(({ name }) => name)).toEqual(['read_skill']);
  await mkdir(join(root, 'new'));
  await writeFile(join(root, 'new/SKILL.md'), skill('new'));
  expect(await instructionsOf({ skills: [root] })).toContain('- new: ');
});

test('a skill that can not be used is refused when the agent is defined', async () => {
  const root = await folderWith({ 'pdf/SKILL.md': '# no frontmatter' });
  expect(() => agent({ skills: [root] })).toThrow(/Agent a, skills: .*pdf\/SKILL\.md: its name is ""/);
  await writeFile(join(root, 'pdf/SKILL.md'), '---\nname: pdf\n---\n');
  expect(() => agent({ skills: [root] })).toThrow('it has no description');
  const twice = await folderWith({ 'one/SKILL.md': skill('pdf'), 'two/SKILL.md': skill('pdf') });
  expect(() => agent({ skills: [twice] })).toThrow('are both named pdf');
  expect(() => agent({ skills: [join(root, 'none')] })).toThrow('there is no folder');
  expect(() => agent({ skills: [join(twice, 'one')] })).toThrow('is a skill itself. Give the folder');
  const lower = await folderWith({ 'one/skill.md': skill('pdf') });
  expect(() => agent({ skills: [lower] })).toThrow(/skill\.md: name it SKILL\.md/);
});

test('a skill that breaks while workers run is left out, and no other', async () => {
  const root = await folderWith({ 'pdf/SKILL.md': skill('pdf'), 'excel/SKILL.md': skill('excel') });
  const options = { skills: [root] };
  const { instructions } = agent(options);
  await symlink('circle', join(root, 'circle'));
  await writeFile(join(root, 'pdf/SKILL.md'), 'broken');
  const turn = { prompt: 'hi', turnId: 't1', metadata: {}, signal: new AbortController().signal };
  const told = typeof instructions === 'string' ? instructions : await instructions(turn);
  expect(told).toContain('- excel: ');
  expect(told).not.toContain('pdf');
});

test('a skill is read with the list of its other files, and these by their path', async () => {
  const root = await folderWith({
    'pdf/SKILL.md': skill('pdf'),
    'pdf/references/forms.md': 'All forms.',
    'pdf/logo.png': new Uint8Array([0xff, 0xd8]),
  });
  expect(await read(root, 'pdf')).toMatch(
    /^---\nname: pdf[\s\S]*Do it well\.\n\n\[The folder of this skill is .*pdf\.\nIts other files: logo\.png, references\/forms\.md\]$/,
  );
  expect(await read(root, 'pdf', 'references/forms.md')).toBe('All forms.');
  await expect(read(root, 'pdf', 'logo.png')).rejects.toThrow('logo.png is no text');
  await expect(read(root, 'pdf', 'none.md')).rejects.toThrow(
    'has no file "none.md"; it has: SKILL.md, logo.png',
  );
  await expect(read(root, 'word')).rejects.toThrow('there is no skill "word"; there are: pdf');
});

test.each([
  '../secret.txt',
  '/etc/passwd',
  'link.txt',
  'outside/secret.txt',
  '../pdf2/SKILL.md',
  '..',
  '../none',
  '.',
])('a path that leaves the folder of the skill is refused: %s', async (file) => {
  const root = await folderWith({
    'pdf/SKILL.md': skill('pdf'),
    'pdf2/SKILL.md': skill('pdf2'),
    'secret.txt': 'secret',
  });
  await symlink(join(root, 'secret.txt'), join(root, 'pdf/link.txt'));
  await symlink(root, join(root, 'pdf/outside'));
  await expect(read(root, 'pdf', file)).rejects.toThrow(/is outside the folder of the skill pdf|is no file/);
});

test.each([
  [
    '---\nname: a\ndescription: Use it for: this # and that\n---',
    { name: 'a', description: 'Use it for: this' },
  ],
  ["---\r\nname: \"a\"\r\ndescription: 'it''s'\r\n---\r\n", { name: 'a', description: "it's" }],
  ['---\ndescription: >-\n  two\n  lines\nname: a\n---', { name: 'a', description: 'two lines' }],
  ['---\ndescription: |\n  two\n  lines\n---', { description: 'two\nlines' }],
  [
    '---\nname: a\nmetadata:\n  author: b\ndescription: c\n---',
    { name: 'a', metadata: 'author: b', description: 'c' },
  ],
  ['---\ndescription: first\n  and more\n---', { description: 'first and more' }],
  ['# no frontmatter', undefined],
  ['---\nname: a', undefined],
])('frontmatter %j', (text, fields) => {
  expect(frontmatter(text)).toEqual(fields);
});

test('the skill of docs/skills.md is one that works', async () => {
  const [, written = ''] = /```text\n(.*?)```/s.exec(await readFile('docs/skills.md', 'utf8')) ?? [];
  const root = await folderWith({ 'release-notes/SKILL.md': written, 'release-notes/template.md': '# New' });
  expect(await instructionsOf({ skills: [root] })).toContain(
    '- release-notes: Writes the notes of a release. Use it when somebody asks what is new.',
  );
  expect(await read(root, 'release-notes')).toContain('Its other files: template.md');
});
