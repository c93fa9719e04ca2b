import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Built by `npm run build`; from the sources, too, it is the one in dist. */
export function workflowBundlePath(): string {
  const paths = ['../workflow-bundle.js', '../../dist/workflow-bundle.js'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error('The workflow bundle is missing: run `npm run build`.');
  return found;
}
