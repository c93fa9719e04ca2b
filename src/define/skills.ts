import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorText } from '../shared/wire-text.js';
import { frontmatter } from './frontmatter.js';

/** Folders of skills, each a folder with a `SKILL.md`; made by {@link skillFolders}. */
export type SkillFolders = { readonly folders: readonly string[] };

export type Skill = { name: string; description: string; folder: string };

export const SKILL_FILE = 'SKILL.md';
const NAME = /^[a-zA-Z0-9][\w.-]{0,63}$/;
const MAX_DESCRIPTION = 1024;

/** Throws a TypeError that names the owner and the fault: no such folder, a skill without a name or a description. */
export function skillFolders(owner: string, given: readonly string[]): SkillFolders | undefined {
  if (!Array.isArray(given))
    throw new TypeError(`${owner}, skills: give a list of folders, as in ['skills'].`);
  if (given.length === 0) return undefined;
  const folders = given.map((folder) => resolve(folder));
  const problems: string[] = [];
  for (const folder of folders) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new TypeError(`${owner}, skills: there is no folder ${folder}.`);
    if (existsSync(join(folder, SKILL_FILE)))
      throw new TypeError(`${owner}, skills: ${folder} is a skill itself. Give the folder that it is in.`);
  }
  skillsIn({ folders }, (problem) => problems.push(problem));
  if (problems.length > 0) throw new TypeError(`${owner}, skills: ${problems.join('; ')}.`);
  return { folders };
}

/** As they are now, by name. What is wrong with one that is left out, `tell` hears. */
export function skillsIn({ folders }: SkillFolders, tell: (problem: string) => void): Skill[] {
  const skills = new Map<string, Skill>();
  for (const folder of folders) {
    for (const entry of entriesOf(folder, tell)) {
      const skill = readSkill(join(folder, entry), tell);
      if (!skill) continue;
      const other = skills.get(skill.name);
      if (other) tell(`${skill.folder} and ${other.folder} are both named ${skill.name}`);
      else skills.set(skill.name, skill);
    }
  }
  return [...skills.values()].sort((one, two) => (one.name < two.name ? -1 : 1));
}

function entriesOf(folder: string, tell: (problem: string) => void): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => isFolder(join(folder, name), tell))
      .sort();
  } catch (error) {
    tell(errorText(error));
    return [];
  }
}

/** A link that leads in a circle is one fault, and not that of the others. */
function isFolder(path: string, tell: (problem: string) => void): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    tell(errorText(error));
    return false;
  }
}

function readSkill(folder: string, tell: (problem: string) => void): Skill | undefined {
  const path = join(folder, SKILL_FILE);
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      const almost = readdirSync(folder).find((name) => name.toUpperCase() === SKILL_FILE.toUpperCase());
      if (almost !== undefined) tell(`${join(folder, almost)}: name it ${SKILL_FILE}`);
      return undefined;
    }
    const { name = '', description = '' } = frontmatter(readFileSync(path, 'utf8')) ?? {};
    const expected = 'it is to begin with ---, name: ..., description: ..., ---';
    if (!NAME.test(name)) tell(`${path}: its name is ${JSON.stringify(name)}; ${expected}`);
    else if (description === '') tell(`${path}: it has no description; ${expected}`);
    else return { name, description: oneLine(description), folder };
  } catch (error) {
    tell(errorText(error));
  }
  return undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, MAX_DESCRIPTION).toWellFormed();
}

/** What the model reads of them before the conversation. */
export function listedSkills(folders: SkillFolders): string {
  const skills = skillsIn(folders, (problem) => process.emitWarning(`A skill is left out: ${problem}`));
  if (skills.length === 0) return '';
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
  return `Skills are instructions for particular kinds of work. Before such work read the skill with read_skill, and follow it.\n${lines.join('\n')}`;
}
