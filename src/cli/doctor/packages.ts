import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson } from '../../shared/json.js';

type OurPackage = { version: string; engines: { node: string }; peerDependencies: Record<string, string> };

const OUR_FOLDER = fileURLToPath(new URL('../../..', import.meta.url));

export function ourPackage(): OurPackage {
  return JSON.parse(readFileSync(join(OUR_FOLDER, 'package.json'), 'utf8')) as OurPackage;
}

/**
 * Of the packages that must be one version in a process, each that is another one: beside us, or as a project in
 * `folder` would load it. `@temporalio/client 1.20.0 in your project, 1.24.0 here`.
 */
export function versionMismatches(folder: string): string[] {
  const { peerDependencies } = ourPackage();
  return Object.entries(peerDependencies).flatMap(([name, range]) => {
    const ours = versionOf(name, OUR_FOLDER);
    if (ours === undefined) return [`${name} is not installed`];
    const theirs = versionOf(name, folder);
    const beside = fits(ours, range) ? [] : [`${name} is ${ours} and should be ${range}`];
    // Temporal's packages hand one another their objects; of zod any that fits will do.
    if (theirs === undefined || theirs === ours || (name === 'zod' && fits(theirs, range))) return beside;
    return [`${name} is ${theirs} in your project and ${ours} in holdfast`];
  });
}

/** As far as our own ranges go: `~1.24.0` asks for the same minor version, `^4.0.0` for the same major one. */
function fits(version: string, range: string): boolean {
  const parts = range.startsWith('~') ? 2 : 1;
  const begin = (text: string) => text.replace(/^\D*/, '').split('.').slice(0, parts).join('.');
  return begin(version) === begin(range);
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
