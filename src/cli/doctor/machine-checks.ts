import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defaultArtifactFolder } from '../../artifacts/local-artifacts.js';
import { keyringOf } from '../../codec/data-converter.js';
import { KEYS_VARIABLE } from '../../codec/keyring.js';
import { resolveSettings } from '../../server/settings.js';
import { checkedCodec } from '../codec-settings.js';
import { type Check, type Finding, failed, none, ok } from './check.js';
import { isAtLeast, ourPackage, versionMismatches } from './packages.js';

/** What can be seen without a network: the runtime, the packages, the folders, the keys. */
export function machineChecks(folder: string = process.cwd()): Check[] {
  return [
    { name: 'node', run: async () => nodeVersion() },
    { name: 'packages', run: async () => packages(folder) },
    { name: 'folders', run: folders },
    { name: 'encryption', run: async () => encryption() },
  ];
}

function nodeVersion(): Finding {
  const needed = ourPackage().engines.node.replace(/^>=/, '');
  const { node } = process.versions;
  if (isAtLeast(node, needed)) return ok(`Node ${node}.`, { version: node });
  return failed(`Node ${node} is too old.`, `Install Node ${needed} or newer: https://nodejs.org`);
}

function packages(folder: string): Finding {
  const { version, peerDependencies } = ourPackage();
  const mismatches = versionMismatches(folder);
  const temporal = peerDependencies['@temporalio/client'] ?? '';
  if (mismatches.length === 0)
    return ok(`holdfast ${version}, @temporalio ${temporal} throughout.`, { version });
  return failed(
    `${mismatches.join('; ')}.`,
    `Two versions of these in one process don't work together. Set them to ${temporal} in package.json, and install again.`,
  );
}

async function folders(): Promise<Finding> {
  const { dataDir } = resolveSettings({});
  const wanted = [
    { path: dataDir, what: "the server's data", variable: 'HOLDFAST_STATE_DIR' },
    { path: defaultArtifactFolder(), what: 'artifacts', variable: 'HOLDFAST_ARTIFACTS' },
  ];
  for (const { path, what, variable } of wanted) {
    if (await isWritable(path)) continue;
    return failed(
      `${path}, for ${what}, can't be written.`,
      `Give it to this user, or name another folder by ${variable}.`,
    );
  }
  return ok(
    wanted
      .map(({ path, what }) => `${what} in ${path}`)
      .join(', ')
      .concat('.'),
  );
}

/** Or can be made. */
async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent && dirname(path) !== path && (await isWritable(dirname(path)));
  }
}

function encryption(): Finding {
  const { current } = keyringOf(checkedCodec());
  return current
    ? ok(`On, with the key "${current.id}".`, { key: current.id })
    : none(`Off: ${KEYS_VARIABLE} is not set, so that payloads are stored as they are (docs/encryption.md).`);
}
