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
  // One file in place of six: each takes a process that needs them a millisecond.
  codeSplitting: { groups: [{ name: 'shared', test: /[\\/]dist[\\/]shared[\\/]/ }] },
});

// For an `import` of a CommonJS package Node first looks for its names, through all that it exports again: 15 ms for a worker's,
// 20 for Temporal's client. `openai` has modules, too, 150 of them, which take longer than those that it has for `require`. So
// the names that we import stand in files of CommonJS, which bundlers follow as well.
const IMPORT = /\{ ([^}:]+) \}( from | = await import\()"(@temporalio\/[a-z]+|openai|openai\/core\/error)"/g;
const imported = new Map();
for (const { fileName } of output.filter(({ type }) => type === 'chunk')) {
  const file = path(`../dist/entries/${fileName}`);
  const code = readFileSync(file, 'utf8').replace(IMPORT, (_all, names, by, id) => {
    const known = imported.get(id) ?? new Set();
    imported.set(id, known);
    for (const name of names.split(', ')) known.add(name.split(' as ')[0]);
    return `{ ${names} }${by}"./${fileOf(id)}"`;
  });
  writeFileSync(file, code);
}
for (const [id, known] of imported) {
  const names = `{ ${[...known].sort().join(', ')} }`;
  const code = `const ${names} = require('${id}');\nmodule.exports = ${names};\n`;
  writeFileSync(path(`../dist/entries/${fileOf(id)}`), code);
}

function fileOf(id) {
  return `${id.replace('@', '').replaceAll('/', '-')}.cjs`;
}

// npx makes it executable only when it first meets this folder, and a new build would take that away again.
chmodSync(path('../dist/cli/main.js'), 0o755);
