import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newEncryptionKey } from '../../src/codec/keyring.js';
import { freePorts } from '../../src/server/ports.js';
import { holdfast } from '../support/run-cli.js';

const KEYS = { HOLDFAST_ENCRYPTION_KEYS: newEncryptionKey('k1') };

test('keygen prints a key as the variable takes it, and nothing else', async () => {
  const { exitCode, stdout } = await holdfast(['keygen', 'k2']).finished;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^k2:[\w+/]{43}=\n$/) });
});

test('codec-server serves until it is told to stop', async () => {
  const [port] = await freePorts(1);
  const running = holdfast(['codec-server', '--port', String(port)], KEYS);
  await running.printed(`http://localhost:${port}`);
  const headers = { 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body: '{"payloads":[]}' };
  expect(await (await fetch(`http://localhost:${port}/decode`, asked)).json()).toEqual({ payloads: [] });
  running.process.kill('SIGTERM');
  expect(await running.finished).toMatchObject({ exitCode: 0 });
});

test('codec-server without a key says what to set, and on a taken port which to give', async () => {
  expect(await holdfast(['codec-server'], { HOLDFAST_ENCRYPTION_KEYS: '' }).finished).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('HOLDFAST_ENCRYPTION_KEYS is not set'),
  });
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    taken.close();
  });
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  expect(await holdfast(['codec-server', '--port', String(port)], KEYS).finished).toMatchObject({
    exitCode: 2,
    stderr: `Port ${port} is taken. Choose another one with --port.\n`,
  });
});

test.each(['run', 'worker'])(
  '%s refuses bad keys before it starts anything, and shows none',
  async (command) => {
    const argument = command === 'run' ? 'hello' : 'dist/demo/worker.js';
    const env = { HOLDFAST_ENCRYPTION_KEYS: 'k1:c2hvcnQ=', OPENAI_API_KEY: 'none' };
    expect(await holdfast([command, argument], env).finished).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^Encryption keys \(HOLDFAST_ENCRYPTION_KEYS\): the key "k1" has 5 bytes/,
      ),
    });
  },
);
