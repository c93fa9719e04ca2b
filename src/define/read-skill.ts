import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { z } from 'zod';
import type { Tool } from './define-tool.js';
import { makeTool } from './make-tool.js';
import { SKILL_FILE, type Skill, type SkillFolders, skillsIn } from './skills.js';

const MAX_BYTES = 500_000;
const LISTED_FILES = 50;
const LISTED_LEVELS = 4;

const input = z.object({
  name: z.string().describe('The name of the skill'),
  file: z.string().optional().describe('A file of it, such as references/forms.md. Default: SKILL.md'),
});

/** The tool `read_skill`: the instructions of one skill, or another file of its folder. It can't leave that folder. */
export function readSkillTool(folders: SkillFolders): Tool<typeof input, string> {
  return makeTool({
    name: 'read_skill',
    description:
      'Reads a skill: instructions for a particular kind of work, and the files that belong to them.',
    input,
    idempotent: true,
    effects: 'none',
    async run({ name, file = SKILL_FILE }) {
      const skills = skillsIn(folders, () => undefined);
      const skill = skills.find((each) => each.name === name);
      if (skill) return await textOf(skill, file);
      const names = skills.map((each) => each.name).join(', ') || 'none';
      throw new Error(`there is no skill ${JSON.stringify(name)}; there are: ${names}`);
    },
  });
}

async function textOf(skill: Skill, file: string): Promise<string> {
  const root = await realpath(skill.folder);
  const path = await insideOf(root, skill, file);
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new Error(`${file} takes ${size} bytes, and may take ${MAX_BYTES}`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch {
    throw new Error(`${file} is no text`);
  }
  if (relative(root, path) !== SKILL_FILE) return text;
  const others = (await filesOf(root)).filter((each) => each !== SKILL_FILE);
  const list = others.length === 0 ? '' : `\nIts other files: ${others.join(', ')}`;
  return `${text.trimEnd()}\n\n[The folder of this skill is ${root}.${list}]`;
}

/** The real path of a regular file in the folder, whatever links lead there; throws for any other. */
async function insideOf(root: string, { name }: Skill, file: string): Promise<string> {
  const shown = JSON.stringify(file);
  if (isAbsolute(file)) throw new Error(`${shown} is outside the folder of the skill ${name}`);
  let path: string;
  try {
    path = await realpath(join(root, file));
  } catch {
    // Whether something outside exists is not told either.
    const isOutside = leaves(relative(root, join(root, file)));
    if (isOutside) throw new Error(`${shown} is outside the folder of the skill ${name}`);
    const files = (await filesOf(root)).join(', ');
    throw new Error(`the skill ${name} has no file ${shown}; it has: ${files}`);
  }
  if (leaves(relative(root, path))) throw new Error(`${shown} is outside the folder of the skill ${name}`);
  if ((await stat(path)).isFile()) return path;
  throw new Error(`${shown} is no file; the skill ${name} has: ${(await filesOf(root)).join(', ')}`);
}

function leaves(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

async function filesOf(root: string, folder = '', level = 1): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((one, two) => (one.name < two.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile()) files.push(path);
    else if (entry.isDirectory() && level < LISTED_LEVELS)
      files.push(...(await filesOf(root, path, level + 1)));
    if (files.length >= LISTED_FILES) return files.slice(0, LISTED_FILES);
  }
  return files;
}
