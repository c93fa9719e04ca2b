import { z } from 'zod';
import { defineTool } from '../../src/define/define-tool.js';
import { gate } from './agents.js';
import { setPrice } from './documented-tool.js';

export const base = { description: '', input: z.object({ say: z.string().default('') }) };

export const setUps = { shared: 0, failing: 0 };
export const setUpBegun = gate();
const shared = defineTool({
  ...{ ...base, name: 'shared' },
  async setup() {
    setUps.shared += 1;
    return { number: setUps.shared };
  },
  run: (_args, { setup }) => `connection ${setup.number}`,
});
const failing = defineTool({
  ...{ ...base, name: 'failing' },
  setup() {
    setUps.failing += 1;
    if (setUps.failing === 1) throw new Error('no route to the database');
    return 'connected';
  },
  run: (_args, { setup }) => setup,
});
const stuck = defineTool({
  ...{ ...base, name: 'stuck' },
  async setup() {
    setUpBegun.open();
    await new Promise(() => {});
  },
  run: () => 'never',
});
const slow = defineTool({
  ...{ ...base, name: 'slow', timeout: 50 },
  setup: () => new Promise<string>(() => {}),
  run: (_args, { setup }) => setup,
});

const orders = new Map<string, unknown>([
  ['good', { total: 5, secret: 'margin' }],
  ['bad', { total: '5', items: [1] }],
  ['none', undefined],
  ['long', { total: 'x'.repeat(30_000) }],
]);
const order = defineTool({
  ...{ ...base, name: 'order' },
  output: z.object({ total: z.number(), currency: z.string().default('EUR') }),
  run: ({ say }) => orders.get(say) as { total: number },
});

export const tries: string[] = [];
const flaky = defineTool({
  ...{ ...base, name: 'flaky', idempotent: true },
  retry: { attempts: 3, initialInterval: 1, when: (error) => String(error).includes('busy') },
  run({ say }, { attempt }) {
    tries.push(`${say} ${attempt}`);
    if (say === 'never' || (say === 'second' && attempt === 1)) throw new Error('busy');
    if (say === 'broken') throw new Error('broken');
    return `${say} at ${attempt}`;
  },
});
const late = defineTool({
  ...{ ...base, name: 'late', idempotent: true, timeout: 50 },
  retry: { attempts: 2, initialInterval: 1 },
  async run(_args, { attempt, signal }) {
    if (attempt === 1) await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
    return `in time at ${attempt}`;
  },
});
const patient = defineTool({
  ...{ ...base, name: 'patient', idempotent: true },
  retry: { attempts: 5, initialInterval: '10 minutes', maximumInterval: '1 hour' },
  run: () => Promise.reject(new Error('busy')),
});

export const noted: string[] = [];
const bBegan = gate();
const edit = defineTool({
  ...{ ...base, name: 'edit', parallel: false },
  approval: ({ say }) => (say.startsWith('ask') ? 'ask' : 'allow'),
  concurrencyKey({ say }) {
    if (say === 'nowhere') throw new Error('there is no such place');
    return say.split(' ')[0];
  },
  async run({ say }) {
    noted.push(`+${say}`);
    if (say === 'b meets') bBegan.open();
    if (say === 'a meets') await bBegan.opened;
    noted.push(`-${say}`);
    return say;
  },
});

export const tools = [setPrice, shared, failing, stuck, slow, order, flaky, late, patient, edit];
