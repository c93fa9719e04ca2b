#!/usr/bin/env node
// `npm start`: without arguments the demo, which needs no key; with a prompt the real agent.
import { fileURLToPath } from 'node:url';
import { reportError } from '../cli/report-error.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [, , prompt, ...rest] = process.argv;

try {
  if (prompt === undefined) {
    const { demo } = await import('./demo.js');
    process.exitCode = await demo(root.replace(/\/$/, ''));
  } else {
    process.argv = [process.argv[0] ?? '', process.argv[1] ?? '', 'run', prompt, ...rest];
    await import('../cli/main.js');
  }
} catch (error) {
  process.exit(reportError(error));
}
