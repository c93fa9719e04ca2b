import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool, type Tool, type ToolContext } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

// Checked by the compiler (npm run lint): nothing in here runs more than definitions.
class Database {
  readonly #orders = new Map<string, number>();
  find(id: string): number | undefined {
    return this.#orders.get(id);
  }
}
const base = { name: 'find', description: '', input: z.object({ id: z.string() }) };
const order = z.object({
  total: z.number(),
  status: z.enum(['open', 'shipped']),
  note: z.string().optional(),
});

describe('what setup makes', () => {
  test('is in the context of run and of reconcile, also where it is a promise', () => {
    const tool = defineTool({
      ...base,
      setup: async () => new Database(),
      run({ id }, { setup }) {
        expectTypeOf(setup).toEqualTypeOf<Database>();
        return setup.find(id) ?? 0;
      },
      reconcile(_key, { id }, { setup }) {
        expectTypeOf(setup).toEqualTypeOf<Database>();
        return setup.find(id) ?? 0;
      },
    });
    expectTypeOf(tool.run).parameter(1).toEqualTypeOf<ToolContext<Database>>();
    expectTypeOf(tool).toExtend<Tool>();
    defineAgent({ name: 'shop', instructions: '', model: scriptedModel([]), tools: [tool] });
  });

  test('is inferred from a setup that takes its context, written before run', () => {
    defineTool({
      ...base,
      setup({ signal }) {
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return new Database();
      },
      run: (_args, { setup }) => expectTypeOf(setup).toEqualTypeOf<Database>(),
    });
  });

  test('is undefined where there is no setup, and any context is one to a function that does not care', () => {
    const log = (context: ToolContext) => context.progress('found');
    defineTool({ ...base, run: (_args, context) => expectTypeOf(context.setup).toEqualTypeOf<undefined>() });
    defineTool({ ...base, setup: () => new Database(), run: (_args, context) => log(context) });
  });
});

describe('an output', () => {
  test('is what run and reconcile must return', () => {
    defineTool({
      ...base,
      output: order,
      run: async ({ id }) => ({ total: id.length, status: 'open' as const }),
      reconcile: (key) => ({ total: key.length, status: 'shipped' as const }),
    });
    // @ts-expect-error: a total is a number.
    defineTool({ ...base, output: order, run: () => ({ total: 'all', status: 'open' as const }) });
    // @ts-expect-error: it has no total.
    defineTool({ ...base, output: order, run: ({ id }) => ({ id, status: 'open' as const }) });
  });

  test('with defaults is told what goes into it', () => {
    defineTool({ ...base, output: z.object({ page: z.number().default(1) }), run: () => ({}) });
  });

  test('leaves the type of a tool without one to run', () => {
    const tool = defineTool({ ...base, run: () => ({ found: true }) });
    expectTypeOf(tool.run).returns.toEqualTypeOf<{ found: boolean } | Promise<{ found: boolean }>>();
  });
});

test('a concurrency key is worked out of the arguments', () => {
  defineTool({
    ...base,
    concurrencyKey: ({ id }) => {
      expectTypeOf(id).toBeString();
      return id === '' ? undefined : id;
    },
    run: () => '',
  });
});
