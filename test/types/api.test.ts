import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type {
  AgentClient,
  FinishedTurn,
  SessionHandle,
  TurnFailed,
  TurnHandle,
  TurnOutcome,
  TurnStep,
} from '../../src/client.js';
import {
  type Artifact,
  artifactInput,
  type Duration,
  defineAgent,
  defineTool,
  notDone,
} from '../../src/index.js';
import { scriptedModel, testTurn } from '../../src/testing/index.js';

// Checked by the compiler (npm run lint): nothing in here runs more than definitions.
const model = scriptedModel([]);
const support = defineAgent({
  ...{ name: 'support', instructions: '', model },
  output: z.object({ resolved: z.boolean(), when: z.iso.datetime() }),
});
const plain = defineAgent({ name: 'plain', instructions: '', model });
const base = { description: '', input: z.object({ orderId: z.string(), amount: z.number().default(1) }) };

type Output = { resolved: boolean; when: string };
type OutputOf<Finished> =
  Extract<Finished, { type: 'completed' }> extends { output: infer Value } ? Value : never;
type Resolved<Made extends (...given: never[]) => unknown> = Awaited<ReturnType<Made>>;

describe('types flow', () => {
  test("from a tool's schema to its arguments, with defaults filled in", () => {
    defineTool({
      ...base,
      name: 'refund',
      run(args, context) {
        expectTypeOf(args).toEqualTypeOf<{ orderId: string; amount: number }>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(context.idempotencyKey).toBeString();
        return { refunded: args.amount };
      },
      reconcile(key, args) {
        expectTypeOf(key).toBeString();
        expectTypeOf(args.orderId).toBeString();
        return args.amount > 0 ? { refunded: args.amount } : notDone;
      },
    });
  });

  test('from what a tool returns to what its reconcile may, never the other way round', () => {
    defineTool({
      ...base,
      name: 'refund',
      run: () => ({ refunded: 1 }),
      // @ts-expect-error: `run` returns a number there.
      reconcile: () => ({ refunded: 'all' }),
    });
  });

  test("from an agent's output to the outcome of a turn, of whichever process", () => {
    type Started = Resolved<typeof AgentClient.prototype.start<typeof support>>;
    expectTypeOf<Started>().toEqualTypeOf<TurnHandle<Output>>();
    type Sent = Resolved<typeof SessionHandle.prototype.send<typeof support>>;
    expectTypeOf<Sent>().toExtend<TurnHandle<Output>>();
    type Found = ReturnType<typeof AgentClient.prototype.turn<typeof support>>;
    expectTypeOf<Found>().toEqualTypeOf<TurnHandle<Output>>();
    type Finished = Resolved<Found['result']>;
    expectTypeOf<OutputOf<Finished>>().toEqualTypeOf<Output>();
    expectTypeOf<(Finished & { type: 'interrupted' })['output']>().toEqualTypeOf<undefined>();
    type Closed = (Finished & { type: 'max_iterations' })['output'];
    expectTypeOf<Closed>().toEqualTypeOf<Output | undefined>();
  });

  test("from an agent's output to its checks, and from an artifact's name to the artifact", () => {
    const agent = { name: 'a', instructions: '', model };
    const inWords = defineAgent({ ...agent, checks: [(answer) => expectTypeOf(answer).toBeString()] });
    const output = z.object({ total: z.number() });
    defineAgent({ ...agent, output, checks: [({ total }) => expectTypeOf(total).toBeNumber()] });
    const input = z.object({ image: artifactInput(), more: z.array(artifactInput()) });
    defineTool({
      ...{ name: 'send', description: '', input },
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ image: Artifact; more: Artifact[] }>();
      },
    });
    expectTypeOf<z.input<typeof input>>().toEqualTypeOf<{ image: string; more: string[] }>();
    expectTypeOf(inWords).toEqualTypeOf(plain);
  });

  test("from an agent's output to the outcome of a test", () => {
    expectTypeOf<OutputOf<Resolved<typeof testTurn<Output>>['outcome']>>().toEqualTypeOf<Output>();
    const tested = () => testTurn(support, 'hello', { model });
    expectTypeOf<OutputOf<Resolved<typeof tested>['outcome']>>().toEqualTypeOf<Output>();
    const plainly = () => testTurn(plain, 'hello', { model });
    expectTypeOf<OutputOf<Resolved<typeof plainly>['outcome']>>().toBeUnknown();
  });

  test('to unknown, never to any, where no type is given', () => {
    type Untyped = Resolved<typeof AgentClient.prototype.start>;
    expectTypeOf<OutputOf<Resolved<Untyped['result']>>>().toBeUnknown();
    expectTypeOf<OutputOf<FinishedTurn>>().toBeUnknown();
    expectTypeOf<OutputOf<Resolved<TurnHandle['result']>>>().not.toBeAny();
  });
});

test('a turn that ended has its steps and messages; one that failed may have', () => {
  expectTypeOf<FinishedTurn['steps']>().toEqualTypeOf<TurnStep[]>();
  expectTypeOf<FinishedTurn['type']>().toEqualTypeOf<Exclude<TurnOutcome['type'], 'failed'>>();
  expectTypeOf<TurnFailed['outcome']>().toEqualTypeOf<TurnOutcome | undefined>();
  expectTypeOf<TurnFailed['status']>().toEqualTypeOf<'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT'>();
});

test('a duration is a number or a text with a unit', () => {
  expectTypeOf<'2 minutes'>().toExtend<Duration>();
  expectTypeOf<number>().toExtend<Duration>();
  expectTypeOf<'soon'>().not.toExtend<Duration>();
});
