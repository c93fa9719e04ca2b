import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { AgentClient, FinishedTurn } from '../../src/client.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { scriptedModel } from '../../src/testing/index.js';

const model = scriptedModel([]);
const plain = defineAgent({ name: 'plain', instructions: '', model });
const typed = defineAgent({
  ...{ name: 'typed', instructions: '', model },
  output: z.object({ resolved: z.boolean(), summary: z.string().optional() }),
});

test("a client knows the type of an agent's output from the agent's type alone", () => {
  type Result<Name extends typeof plain | typeof typed> = Awaited<
    ReturnType<Awaited<ReturnType<typeof AgentClient.prototype.start<Name>>>['result']>
  >;
  type Completed<Turn> = Extract<Turn, { type: 'completed' }>;
  expectTypeOf<Completed<Result<typeof typed>>['output']>().toEqualTypeOf<{
    resolved: boolean;
    summary?: string | undefined;
  }>();
  expectTypeOf<Completed<Result<typeof plain>>['output']>().toBeUnknown();
  expectTypeOf<Completed<FinishedTurn>['output']>().toBeUnknown();
  expectTypeOf<Exclude<Result<typeof typed>, { type: 'completed' }>['output']>().toEqualTypeOf<undefined>();
});
