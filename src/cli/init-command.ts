import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { initProject } from './init/init-project.js';
import { quoted } from './quoted.js';
import { terminalOf } from './terminal.js';
import { UsageError } from './usage-error.js';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

/** `holdfast init my-agent`. Throws a UsageError for a bad name or a folder that is not empty. */
export async function initCommand(folder: string, options: { holdfast?: string }): Promise<void> {
  if (options.holdfast === '') throw new UsageError('--holdfast is empty. Say what npm is to install.');
  const { write, style } = terminalOf(process.stdout);
  const holdfast = options.holdfast ?? thisHoldfast();
  const { name, files } = await initProject(folder, { packageFolder, holdfast });
  write(`${style.bold(name)}\n${files.map((file) => `  ${file}\n`).join('')}`);
  write(`\nNext:\n  cd ${quoted(folder)}\n  npm install\n  npm start\n`);
  if (holdfast.startsWith('file:')) {
    write(
      style.dim(`\nIts package.json has holdfast from ${holdfast}, which a Docker build does not see.\n`),
    );
  }
}

/** What the project is to install: this version; or this folder, where it is a checkout and no installed package. */
function thisHoldfast(): string {
  const isInstalled = packageFolder.includes(`${sep}node_modules${sep}`);
  if (!isInstalled && existsSync(new URL('../../src', import.meta.url))) return `file:${packageFolder}`;
  const { version } = JSON.parse(readFileSync(`${packageFolder}package.json`, 'utf8')) as { version: string };
  return `^${version}`;
}
