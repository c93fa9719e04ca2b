import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { keyringOf } from '../../src/codec/data-converter.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';

const key = newEncryptionKey('k1');
const bytes = Buffer.from('a secret '.repeat(100));

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-artifacts-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function onDisk(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('');
}

test('with a key artifacts are encrypted on disk, and whole when they are loaded', async () => {
  const path = folder();
  const artifacts = new Artifacts(localArtifacts(path), keyringOf({ keys: key }));
  const ref = await artifacts.save(bytes);
  expect(onDisk(path)).not.toContain('secret');
  expect(Buffer.from(await artifacts.load(ref))).toEqual(bytes);
  await expect(new Artifacts(localArtifacts(path)).load(ref)).rejects.toMatchObject({
    name: 'Codec.UnknownKey',
  });
});

test('artifacts from before there was a key are loaded as they are', async () => {
  const path = folder();
  const ref = await new Artifacts(localArtifacts(path)).save(bytes);
  expect(onDisk(path)).toContain('secret');
  const artifacts = new Artifacts(localArtifacts(path), keyringOf({ keys: key }));
  expect(Buffer.from(await artifacts.load(ref))).toEqual(bytes);
});
