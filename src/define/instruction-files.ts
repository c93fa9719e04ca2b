import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { InstructionsFunction } from './define-agent.js';
import { listedSkills, type SkillFolders } from './skills.js';

/** A file's path; one that is `optional` may be missing. */
export type InstructionFile = string | { path: string; optional?: boolean };

/** A file of instructions that reading once more makes no better. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

const NO_FILE = ['EISDIR', 'ENOTDIR', 'ELOOP', 'EACCES'];
/** Each model call of a turn is sent them. */
const MAX_BYTES = 100_000;

/**
 * An agent's instructions with the text of these files and the list of its skills after them: read anew for each turn, and
 * recorded with its first reply. Throws where a file can't be read or is too long.
 */
export function withFiles(
  instructions: string | InstructionsFunction,
  files: readonly InstructionFile[],
  skills: SkillFolders | undefined,
): string | InstructionsFunction {
  if (files.length === 0 && !skills) return instructions;
  const read = files.map((file) => {
    const { path, optional = false } = typeof file === 'string' ? { path: file } : file;
    return { path, optional, from: resolve(path) };
  });
  return async (turn) => {
    const own: unknown = typeof instructions === 'string' ? instructions : await instructions(turn);
    // Whoever asks refuses it, and says why.
    if (typeof own !== 'string') return own as string;
    const texts = await Promise.all(read.map(textOf));
    return [own, ...texts, skills ? listedSkills(skills) : '']
      .filter((text) => text.trim() !== '')
      .join('\n\n');
  };
}

async function textOf({
  path,
  optional,
  from,
}: {
  path: string;
  optional: boolean;
  from: string;
}): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(from);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' && optional) return '';
    const text = `the file ${path} can't be read: ${error instanceof Error ? error.message : String(error)}`;
    // One that is missing may be on its way to this worker.
    throw NO_FILE.includes(code) ? new UnusableFile(text) : new Error(text);
  }
  if (bytes.length > MAX_BYTES)
    throw new UnusableFile(
      `the file ${path} takes ${bytes.length} bytes; a file of instructions may take ${MAX_BYTES}`,
    );
  if (bytes.includes(0)) throw new UnusableFile(`the file ${path} is no text`);
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  return text === '' ? '' : `From the file ${path}:\n\n${text}`;
}
