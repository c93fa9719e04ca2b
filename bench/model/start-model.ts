import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the model's process, which ends with this one. Resolves with its base URL. */
export async function startModel(): Promise<string> {
  const child = fork(fileURLToPath(new URL('./serve.js', import.meta.url)));
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The model's process ended with code ${code}.`);
  });
  const [url] = await Promise.race([once(child, 'message'), exited]);
  exited.catch(() => undefined);
  return String(url);
}
