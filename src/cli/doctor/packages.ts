import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson } from '../../shared/json.js';

type OurPackage = { version: string; engines: { node: string }; dependencies: Record<string, string> };

const OUR_FOLDER = fileURLToPath(new URL('../../..', import.meta.url));

export function ourPackage(): OurPackage {
  return JSON.parse(readFileSync(join(OUR_FOLDER, 'package.json'), 'utf8')) as OurPackage;
}

/**
 * Of the packages that must be one version in a process, each that is another one: beside us, or as a project in
 * `folder` would load it. `@temporalio/client 1.20.0 in your project, 1.24.0 here`.
 */
export function versionMismatches(folder: string): string[] {
  const { dependencies } = ourPackage();
  return Object.entries(dependencies).flatMap(([name, needed]) => {
    if (name !== 'zod' && !name.startsWith('@temporalio/')) return [];
    const fits = (version: string) =>
      name === 'zod' ? major(version) === major(needed) : version === needed;
    const ours = versionOf(name, OUR_FOLDER);
    if (ours === undefined) return [`${name} is not installed`];
    const theirs = versionOf(name, folder);
    const beside = fits(ours) ? [] : [`${name} is ${ours} and should be ${needed}`];
    if (theirs === undefined || theirs === ours || (name === 'zod' && fits(theirs))) return beside;
    return [`${name} is ${theirs} in your project and ${ours} in holdfast`];
  });
}

/** Looked up as Node does, from the folder upwards. */
function versionOf(name: string, folder: string): string | undefined {
  try {
    const parsed = parseJson(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    if (parsed.ok && isJsonObject(parsed.value)) return String(parsed.value['version']);
  } catch {
    // Not there: it may be above.
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : versionOf(name, parent);
}

export function isAtLeast(version: string, needed: string): boolean {
  const [is, least] = [version, needed].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let place = 0; place < least.length; place += 1) {
    const difference = (is[place] ?? 0) - (least[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function major(version: string): string {
  return version.replace(/^\D*/, '').split('.')[0] ?? '';
}
