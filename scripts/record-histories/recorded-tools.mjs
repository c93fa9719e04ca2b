// The tools of the agents that are recorded, and the moments at which a recording meets them.
import { z } from 'zod';
import { artifact, artifactInput, askUser, defineTool } from '../../dist/index.js';

/** Told when the tool or the model that waits has begun. */
let begun = () => undefined;
let gateOpened = () => undefined;

/** Resolves when a tool or a model that waits begins next. */
export const untilBegun = () =>
  new Promise((resolve) => {
    begun = resolve;
  });

/** For a model that waits: it has begun. */
export const hasBegun = () => begun();

/** Lets the tool `gate` go. */
export const openGate = () => gateOpened();

export const untilStopped = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

export const tool = (name, run, more = {}) =>
  defineTool({ name, description: name, input: z.object({ text: z.string().optional() }), run, ...more });

export const tools = [
  tool('echo', ({ text: said }) => said ?? ''),
  tool('fail', () => Promise.reject(new Error('no')), { idempotent: true }),
  tool('alone', () => 'alone', { parallel: false }),
  tool('gate', (_args, { signal }) => {
    const opened = new Promise((resolve, reject) => {
      gateOpened = () => resolve('open');
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    begun();
    return opened;
  }),
  tool('wait', (_args, { signal }) => {
    begun();
    return untilStopped(signal);
  }),
  tool(
    'pay',
    (_args, { signal }) => {
      begun();
      return untilStopped(signal);
    },
    { reconcile: () => 'paid' },
  ),
];

/** They wait for people. */
export const asking = [
  tool('asked', ({ text: said }) => said ?? '', { approval: 'ask' }),
  tool('asked_alone', () => 'alone', { approval: 'ask', parallel: false }),
  askUser(),
];

/** They take and give artifacts. */
export const giving = [
  ...tools,
  tool('draw', () => artifact({ name: 'a.txt', data: 'drawn' })),
  defineTool({
    name: 'look',
    description: 'look',
    input: z.object({ at: artifactInput() }),
    run: ({ at }) => at.text(),
  }),
];
