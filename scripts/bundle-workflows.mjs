// Bundles the compiled workflows once, so that no worker has to at its start (it takes a second or two).
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
// Each workflow evaluates all modules of its own anew, and calls between modules go through a getter each: one module of ours
// in the place of a hundred takes 3 ms less of a turn's first task, and a little of every other one.
const joinedPath = path('../dist/joined-workflows.js');
const joined = await rolldown({
  input: path('../dist/workflows/index.js'),
  platform: 'neutral',
  // The SDK's modules must stay the ones that it finds by their names.
  external: /^@temporalio\//,
  logLevel: 'warn',
});
await joined.write({ file: joinedPath, format: 'esm' });
await joined.close();

const { code } = await bundleWorkflowCode({
  workflowsPath: joinedPath,
  failureConverterPath: path('../dist/codec/workflow-failures.js'),
  preloadModules: [joinedPath],
  logger: new DefaultLogger('WARN'),
}).finally(() => rmSync(joinedPath));

const MAP = /\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,(\S+)/;

/** Without comments, which are a third of it: each worker reads and scans it all at its start. */
async function withoutComments(bundle) {
  const { code, errors } = await minify('workflow-bundle.js', bundle, {
    ...{ compress: false, mangle: false },
    codegen: { removeWhitespace: false, legalComments: 'inline' },
  });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}

/**
 * With a map that leads each line to itself. The SDK draws up a stack for each promise that a workflow makes, and the
 * sources' long paths in it took 2 ms of an iteration's 30. So stack traces name the lines of this bundle, which is
 * shipped and readable.
 */
function mappedToItself(bundle, map) {
  const { version, file } = JSON.parse(Buffer.from(map, 'base64').toString());
  const mappings = `AAAA${';AACA'.repeat(bundle.split('\n').length - 1)}`;
  const own = { version, file, sources: ['workflow-bundle.js'], names: [], mappings };
  const base64 = Buffer.from(JSON.stringify(own)).toString('base64');
  return `${bundle}\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${base64}`;
}

/**
 * For each promise that a workflow makes the SDK draws up a stack, for Temporal's query of them: 17 in an iteration, 60 µs each
 * with ten frames. The nearest five tell where a turn waits, and where it failed.
 */
const SHORT_STACKS = 'Error.stackTraceLimit = 5;';

const [, map] = MAP.exec(code);
const bare = await withoutComments(code.replace(MAP, ''));
// By the comment a worker knows a bundle that has the turn's workflow: see src/worker/bundler.ts.
const bundle = `/* holdfast:workflows */ ${SHORT_STACKS} ${bare}`;
writeFileSync(path('../dist/workflow-bundle.js'), mappedToItself(bundle, map));
