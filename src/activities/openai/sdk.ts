import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * The `openai` package, loaded when a first call wants it: 30 ms of a worker's start. Its 150 CommonJS modules are read in
 * half the time that those of an `import` take; whoever wants a class of it asks here, so that there is one of each.
 */
export function sdk(): typeof import('openai') {
  return require('openai');
}
