// `npm run example -- hello`: runs one of examples/, on the server of TEMPORAL_ADDRESS or one that it starts.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureServer } from '../dist/server/embedded.js';

const folder = fileURLToPath(new URL('../dist-examples/', import.meta.url));
const parts = ['model.js', 'serve.js'];
const [, , name = ''] = process.argv;
const path = [`${folder}${name}.js`, `${folder}${name}/index.js`].find((each) => name && existsSync(each));
if (!path) {
  const names = readdirSync(folder).filter(
    (each) => !each.includes('.') || (each.endsWith('.js') && !parts.includes(each)),
  );
  console.error(`Which one? ${names.map((each) => each.replace('.js', '')).join(', ')}`);
  process.exit(2);
}
const { address } = await ensureServer({ onProgress: (line) => console.error(line) });
process.env.TEMPORAL_ADDRESS = address;
process.argv.splice(1, 2, path);
try {
  await import(pathToFileURL(path).href);
} catch (error) {
  console.error(`The example failed on the server at ${address}.`, error);
  process.exit(1);
}
