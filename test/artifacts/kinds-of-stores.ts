import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { s3Artifacts } from '../../src/artifacts/s3-artifacts.js';
import type { ArtifactSource } from '../../src/shared/artifacts.js';
import { credentials, region, type S3Server, s3Server } from './s3-server.js';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-artifacts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
export const pathIn = (folder: string, key: string) => join(folder, key.slice(0, 2), key);
export const names = (folder: string) => readdirSync(folder, { recursive: true }).map(String);

export function source(bytes: Buffer, pieceBytes = 60_000): ArtifactSource {
  return {
    bytes: bytes.length,
    async *read() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

/** A store, and how to make what it holds look as if it had been stored that many days ago. */
type Made = {
  store: ArtifactStore;
  age(key: string, days: number): void;
  damage(key: string, by: Buffer): void;
};

export const kinds: [string, () => Promise<Made>][] = [
  [
    'a folder',
    async () => {
      const folder = temporaryFolder();
      return {
        store: localArtifacts(folder),
        age: (key, days) => {
          const then = new Date(Date.now() - days * 86_400_000);
          utimesSync(pathIn(folder, key), then, then);
        },
        damage: (key, by) => writeFileSync(pathIn(folder, key), by),
      };
    },
  ],
  [
    'a bucket',
    async () => {
      const server = await s3Server();
      return {
        store: bucketOf(server),
        age: (key, days) => {
          const object = server.objects.get(`/bucket/kept/${key}`);
          if (object) object.storedAt = new Date(Date.now() - days * 86_400_000);
        },
        damage: (key, bytes) => server.objects.set(`/bucket/kept/${key}`, { bytes, storedAt: new Date() }),
      };
    },
  ],
];

export function bucketOf({ endpoint }: S3Server): ArtifactStore {
  return s3Artifacts({ bucket: 'bucket', prefix: 'kept/', endpoint, region, credentials });
}
