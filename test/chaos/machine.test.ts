import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Machine } from '../../chaos/machine.js';

test('a worker whose program can not start fails the run, and is not started for ever', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chaos-'));
  const program = join(folder, 'broken.mjs');
  await writeFile(program, 'console.error("this program is broken, for a test"); process.exit(1);');
  const config = { address: '', taskQueue: '', modelUrl: '', folder };

  const machine = new Machine(config, () => undefined, program);
  const served = machine.serving(60_000);

  await expect(served).rejects.toThrow('can not start: 3 starts in a row failed');
  await machine.close();
  await rm(folder, { recursive: true });
});
