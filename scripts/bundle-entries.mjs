// Puts each entry point of the package into one file (and what they share into a few): a process that starts a worker
// and a turn loads 90 small modules otherwise, which costs it 60 ms of about 900.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

// Node reads a CommonJS package twice for an `import` of it, the first time for its names: 15 ms for these. Of those that the
// client has, too, the imports stay, as bundlers follow them; a worker can't be bundled.
const REQUIRED = /^import \{ ([^}]+) \} from "(@temporalio\/(?:worker|activity|plugin))";$/gm;
for (const name of readdirSync(path('../dist/entries'))) {
  const file = path(`../dist/entries/${name}`);
  const code = readFileSync(file, 'utf8');
  if (!name.endsWith('.js') || code.search(REQUIRED) < 0) continue;
  const required = code.replace(REQUIRED, (_line, names, id) => {
    return `const { ${names.replaceAll(' as ', ': ')} } = requireFrom(import.meta.url)("${id}");`;
  });
  // On the first line, so that the source map stays true.
  writeFileSync(file, `import { createRequire as requireFrom } from "node:module"; ${required}`);
}

// npx makes it executable only when it first meets this folder, and a new build would take that away again.
chmodSync(path('../dist/cli/main.js'), 0o755);
