// Puts each entry point of the package into one file (and what they share into a few): a process that starts a worker
// and a turn loads 90 small modules otherwise, which costs it 60 ms of about 900.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const { output } = await bundle.write({
  dir: path('../dist/entries'),
  format: 'esm',
  sourcemap: true,
  chunkFileNames: '[name]-[hash].js',
});

// Node reads a CommonJS package twice for an `import` of it, the first time for its names: 15 ms for a worker's packages, 20
// for the client's. What an agent's definition or a client may load keeps its imports, as bundlers follow them; a worker
// can't be bundled.
const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
const bundlable = new Set();
const reach = (name) => {
  const chunk = chunks.get(name);
  if (!chunk || bundlable.has(name)) return;
  bundlable.add(name);
  for (const next of [...chunk.imports, ...chunk.dynamicImports]) reach(next);
};
for (const name of ['index.js', 'client.js', 'codec.js', 'tools.js']) reach(name);

const IMPORT = /^import \{ ([^}]+) \} from "(@temporalio\/(?:worker|activity|plugin|client))";$/gm;
for (const name of chunks.keys()) {
  const file = path(`../dist/entries/${name}`);
  const code = readFileSync(file, 'utf8');
  if (bundlable.has(name) || code.search(IMPORT) < 0) continue;
  const required = code.replace(IMPORT, (_line, names, id) => {
    return `const { ${names.replaceAll(' as ', ': ')} } = requireFrom(import.meta.url)("${id}");`;
  });
  // On the first line, so that the source map stays true.
  writeFileSync(file, `import { createRequire as requireFrom } from "node:module"; ${required}`);
}

// npx makes it executable only when it first meets this folder, and a new build would take that away again.
chmodSync(path('../dist/cli/main.js'), 0o755);
