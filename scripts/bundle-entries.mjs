// Puts each entry point of the package into one file (and what they share into a few): a process that starts a worker
// and a turn loads 90 small modules otherwise, which costs it 60 ms of about 900.
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const bundle = await rolldown({
  input: {
    index: path('../dist/index.js'),
    client: path('../dist/client.js'),
    worker: path('../dist/worker.js'),
    codec: path('../dist/codec/index.js'),
    tools: path('../dist/tools/coding-tools.js'),
    testing: path('../dist/testing/index.js'),
  },
  platform: 'node',
  // What is installed beside us is not ours to copy.
  external: /^(?!\.|\/)/,
  logLevel: 'warn',
});
rmSync(path('../dist/entries'), { recursive: true, force: true });
await bundle.write({
  dir: path('../dist/entries'),
  format: 'esm',
  sourcemap: true,
  chunkFileNames: '[name]-[hash].js',
});

// npx makes it executable only when it first meets this folder, and a new build would take that away again.
chmodSync(path('../dist/cli/main.js'), 0o755);
