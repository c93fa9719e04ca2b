import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Built by `npm run build`; from the sources, too, it is the one in dist. */
export function workflowBundlePath(): string {
  return builtPath('workflow-bundle.js');
}

/** Of a file or folder in dist, from wherever this code runs: dist/entries, dist/worker or src/worker. */
export function builtPath(name: string): string {
  const paths = ['../', '../../dist/'].map((folder) =>
    fileURLToPath(new URL(`${folder}${name}`, import.meta.url)),
  );
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error(`Holdfast's ${name} is missing: run \`npm run build\`.`);
  return found;
}
