import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** `at`: when it began to arrive, milliseconds since 1970. `page`: how many pages the turn had read by then. */
export type PageRequest = { at: number; bytes: number; page: number; hash?: string };

/** After so many pages, the model takes so long to answer. */
export type Hold = { page: number; ms: number };

export type PageModel = {
  url: string;
  /** All requests since the last `forget`. */
  requests: readonly PageRequest[];
  forget(): void;
  hold(hold: Hold): void;
  /** Told of each request, in place of who was told before. */
  onRequest(listener: (request: PageRequest) => void): void;
};

/** Starts the model of long turns, whose process ends with this one. `hash`: so that bodies can be compared. */
export async function startPageModel(options: { hash?: boolean } = {}): Promise<PageModel> {
  const program = fileURLToPath(new URL('./page-server.js', import.meta.url));
  const child = fork(program, options.hash ? ['hash'] : []);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The model's process ended with code ${code}.`);
  });
  const [url] = await Promise.race([once(child, 'message'), exited]);
  exited.catch(() => undefined);
  const requests: PageRequest[] = [];
  let tell: (request: PageRequest) => void = () => undefined;
  child.on('message', (request: PageRequest) => {
    requests.push(request);
    tell(request);
  });
  return {
    url: String(url),
    requests,
    forget() {
      requests.length = 0;
    },
    hold(hold) {
      child.send(hold);
    },
    onRequest(listener) {
      tell = listener;
    },
  };
}
