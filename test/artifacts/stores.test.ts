import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { s3Artifacts } from '../../src/artifacts/s3-artifacts.js';
import { signedHeaders } from '../../src/artifacts/sign-request.js';
import { bucketOf, kinds, names, pathIn, sha256, source, temporaryFolder } from './kinds-of-stores.js';
import { credentials, region, s3Server } from './s3-server.js';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

describe.each(kinds)('artifacts in %s', (_name, make) => {
  test('come back as they were, whole and in parts', async () => {
    const artifacts = new Artifacts((await make()).store);
    const bytes = randomBytes(100_000);
    const ref = await artifacts.save(bytes);
    expect(ref).toEqual({ sha256: sha256(bytes), bytes: 100_000 });
    expect(bytes.equals(await artifacts.load(ref))).toBe(true);
    expect(bytes.subarray(99_990).equals(await artifacts.loadPart(ref, { from: 99_990, to: 200_000 }))).toBe(
      true,
    );
    expect(await artifacts.loadPart(ref, { from: 100_000, to: 100_010 })).toHaveLength(0);
  });

  test('that are empty are kept, too', async () => {
    const artifacts = new Artifacts((await make()).store);
    expect(await artifacts.load(await artifacts.save(Buffer.alloc(0)))).toHaveLength(0);
  });

  test('are taken piece by piece, and given in parts without being read whole', async () => {
    const artifacts = new Artifacts((await make()).store);
    const bytes = randomBytes(9_000_000);
    const ref = await artifacts.save(source(bytes));
    expect(ref).toEqual({ sha256: sha256(bytes), bytes: bytes.length });
    const part = await artifacts.loadPart(ref, { from: 8_999_000, to: 10_000_000 });
    expect(bytes.subarray(8_999_000).equals(part)).toBe(true);
  });

  test('that are not there are told by name', async () => {
    const artifacts = new Artifacts((await make()).store);
    const ref = { sha256: 'a'.repeat(64), bytes: 9_000_000 };
    await expect(artifacts.load(ref)).rejects.toMatchObject({ type: 'Artifact.NotFound' });
    await expect(artifacts.loadPart(ref, { from: 0, to: 9 })).rejects.toThrow('is not there');
  });

  test('that were damaged are told, and are whole again once they are saved anew', async () => {
    const { store, damage } = await make();
    const artifacts = new Artifacts(store);
    const ref = await artifacts.save(Buffer.from('abc'));
    damage(ref.sha256, Buffer.from('abX'));
    await expect(artifacts.load(ref)).rejects.toThrow('is damaged');
    damage(ref.sha256, Buffer.from(''));
    await expect(artifacts.loadPart(ref, { from: 0, to: 2 })).rejects.toThrow('is damaged');
    await artifacts.save(Buffer.from('abc'));
    expect(Buffer.from(await artifacts.load(ref)).toString()).toBe('abc');
  });

  test('may be saved by many at once', async () => {
    const { store } = await make();
    const artifacts = new Artifacts(store);
    const bytes = randomBytes(300_000);
    const refs = await Promise.all(
      Array.from({ length: 20 }, (_, at) => artifacts.save(at % 2 ? bytes : source(bytes))),
    );
    expect(new Set(refs.map((ref) => ref.sha256)).size).toBe(1);
    expect(bytes.equals(await artifacts.load({ sha256: sha256(bytes), bytes: bytes.length }))).toBe(true);
  });

  test('are forgotten by when they were last stored, by several workers at once', async () => {
    const { store, age } = await make();
    const artifacts = new Artifacts(store);
    const refs = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((text) => artifacts.save(Buffer.from(text))),
    );
    for (const { sha256: key } of refs) age(key, 40);
    const [again, ...old] = refs;
    if (!again) throw new Error('five were saved');
    await artifacts.save(Buffer.from('a'));
    const deleted = await Promise.all([
      store.deleteOlderThan(daysAgo(30)),
      store.deleteOlderThan(daysAgo(30)),
    ]);
    expect(deleted[0] + deleted[1]).toBeGreaterThanOrEqual(4);
    expect(await artifacts.load(again)).toHaveLength(1);
    for (const ref of old) await expect(artifacts.load(ref)).rejects.toThrow('is not there');
    expect(await store.deleteOlderThan(daysAgo(30))).toBe(0);
  });
});

describe('a folder of artifacts', () => {
  test('loses the drafts of writers that died, and nothing that is not its own', async () => {
    const folder = temporaryFolder();
    const store = localArtifacts(folder);
    const draft = `${'a'.repeat(64)}.1.draft`;
    mkdirSync(join(folder, 'aa'));
    for (const name of ['aa/notes.txt', `aa/${draft}`, `aa/new-${draft}`, `aa/${'a'.repeat(64)}.2.draft`])
      writeFileSync(join(folder, name), 'x');
    for (const name of ['aa/notes.txt', `aa/${draft}`]) {
      utimesSync(join(folder, name), daysAgo(90), daysAgo(90));
    }
    utimesSync(join(folder, `aa/${draft}`), daysAgo(1), daysAgo(1));
    expect(await store.deleteOlderThan(daysAgo(30))).toBe(0);
    expect(existsSync(join(folder, 'aa', draft))).toBe(false);
    expect(names(folder)).toHaveLength(4);
  });

  test('is for its owner only, and has no drafts left', async () => {
    const folder = join(temporaryFolder(), 'new');
    const { sha256: key } = await new Artifacts(localArtifacts(folder)).save(Buffer.from('secret'));
    expect(statSync(pathIn(folder, key)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, key.slice(0, 2))).mode & 0o777).toBe(0o700);
    expect(names(folder)).toHaveLength(2);
  });

  test('that does not exist yet has nothing to forget', async () => {
    expect(await localArtifacts(join(temporaryFolder(), 'none')).deleteOlderThan(new Date())).toBe(0);
  });

  test('that is full throws, and has no draft left', async (context) => {
    const folder = temporaryFolder();
    try {
      execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      return context.skip('no file system can be mounted here');
    }
    onTestFinished(() => void execFileSync('/bin/umount', [folder]));
    const artifacts = new Artifacts(localArtifacts(folder));
    await expect(artifacts.save(randomBytes(200_000))).rejects.toThrow('ENOSPC');
    expect(names(folder)).toHaveLength(1);
  });
});

describe('a bucket of artifacts', () => {
  test('is asked again where it is busy, and not where it refuses', async () => {
    const server = await s3Server();
    server.busy = 2;
    const artifacts = new Artifacts(bucketOf(server));
    await artifacts.save(source(randomBytes(200_000)));
    expect(server.requests).toHaveLength(3);
    const wrong = { ...credentials, secretAccessKey: 'wrong' };
    const { endpoint } = server;
    const stranger = s3Artifacts({ bucket: 'bucket', endpoint, region, credentials: () => wrong });
    await expect(stranger.get('a'.repeat(64))).rejects.toThrow(/403 SignatureDoesNotMatch/);
    expect(server.requests).toHaveLength(4);
  });

  test('that does not exist is told, and is not taken for a missing artifact', async () => {
    const { endpoint } = await s3Server();
    const store = s3Artifacts({ bucket: 'other', endpoint, region, credentials });
    await expect(store.get('a'.repeat(64))).rejects.toThrow(/404 NoSuchBucket/);
  });

  test('that cannot be reached is told', async () => {
    const store = s3Artifacts({ bucket: 'bucket', endpoint: 'http://127.0.0.1:1', region, credentials });
    await expect(store.put('a'.repeat(64), Buffer.from('x'))).rejects.toThrow(
      /S3 PUT 127\.0\.0\.1:1\/bucket/,
    );
  });

  test('is asked for in ways that S3 knows only', () => {
    expect(() => s3Artifacts({ bucket: 'No Bucket' })).toThrow('no bucket');
    expect(() => s3Artifacts({ bucket: 'bucket', prefix: 'ä/' })).toThrow('prefix');
  });
});

// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, the examples
describe("AWS's own examples of signatures", () => {
  const example = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const bodySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const signing = { region: 'us-east-1', at: new Date('2013-05-24T00:00:00Z') };

  test.each([
    ['/test.txt', { range: 'bytes=0-9' }, 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'],
    ['/?lifecycle', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['/?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('%s', (path, headers, signature) => {
    const url = new URL(path, 'https://examplebucket.s3.amazonaws.com');
    const { authorization } = signedHeaders({ method: 'GET', url, headers, bodySha256 }, example, signing);
    expect(authorization).toContain(`Signature=${signature}`);
  });
});
