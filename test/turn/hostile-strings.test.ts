import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { TurnFailed } from '../../src/client/errors.js';
import { retryable } from '../../src/define/retryable.js';
import { jsonBytes } from '../../src/shared/json.js';
import { type Model, ModelError } from '../../src/shared/model-port.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { hostileText, hostileValue } from '../shared/hostile.js';
import { countedTool, textOfResult } from './agents.js';
import { sharedWorker } from './shared-worker.js';

// Nothing of this may end the worker's process, which is the test's own, or hold a turn. Each run of a property is a
// turn with several strings, since a turn takes a tenth of a second.
const TURNS = { numRuns: 6 };

/** What the tools below throw, return or report; the calls name an entry by its index. */
let given: readonly unknown[] = [];
const index = z.int();

const throwing = countedTool('throwing', { index }, ({ index: at }) => {
  throw given[at];
});
const returning = countedTool('returning', { index }, ({ index: at }) => given[at]);
const reporting = countedTool('reporting', { index }, async ({ index: at }, { progress, signal }) => {
  progress(String(given[at]));
  // Longer than two heartbeats, so that one has carried the text; what it is to carry has no other sign.
  await new Promise((resolve) => setTimeout(resolve, 1100, signal));
});
const worker = sharedWorker([throwing.tool, returning.tool, reporting.tool]);

/** One turn in which the tool is called once for each of the values. */
async function turnWith(name: string, values: readonly unknown[]) {
  given = values;
  const calls = values.map((_, at) => toolCall(name, { index: at }));
  const turn = await worker.start(scriptedModel([reply(...calls), text('done')]));
  const outcome = await turn.result();
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  expect(await turn.transcript()).toEqual(outcome.messages);
  return outcome.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
}

afterEach(async () => {
  const [result] = await turnWith('returning', ['as ever']);
  expect(textOfResult(result)).toBe('as ever');
});

function oddError([message, name, stack, cause]: [unknown, unknown, unknown, unknown]): Error {
  return Object.assign(new Error('', { cause }), { message, name, stack });
}

function failure(message: string, type: string, details: unknown, cause: unknown): ApplicationFailure {
  const error = oddError([message, type, message, cause]);
  return ApplicationFailure.create({ message, type, details: [details], cause: error, nonRetryable: true });
}

const unreadable = Object.defineProperty(new Error(), 'message', {
  get() {
    throw new Error('bad \ud800');
  },
});

const thrown: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  fc.tuple(hostileValue, hostileValue, hostileValue, hostileValue).map(oddError),
  fc.tuple(hostileText, hostileText, hostileValue, hostileValue).map((parts) => failure(...parts)),
  fc.tuple(hostileText, hostileValue).map(([message, details]) => new CancelledFailure(message, [details])),
  hostileText.map((message) => retryable(new Error(message), { after: 1 })),
  fc.constantFrom(unreadable, Object.freeze(new Error('bad \udfff'))),
);

test('no error of a tool', async () => {
  const property = fc.asyncProperty(fc.array(thrown, { minLength: 6, maxLength: 8 }), async (errors) => {
    for (const result of await turnWith('throwing', errors)) {
      expect(result.status).toBe('error');
      expect(textOfResult(result).length).toBeGreaterThan('Error: '.length);
      expect(textOfResult(result).isWellFormed()).toBe(true);
    }
  });
  await fc.assert(property, TURNS);
});

test('no result of a tool', async () => {
  const property = fc.asyncProperty(
    fc.array(hostileValue, { minLength: 6, maxLength: 8 }),
    async (values) => {
      for (const result of await turnWith('returning', values)) {
        expect(textOfResult(result).isWellFormed()).toBe(true);
      }
    },
  );
  await fc.assert(property, TURNS);
});

test('no text of progress', async () => {
  await turnWith('reporting', fc.sample(hostileText, 8));
});

const oddCall = fc.tuple(fc.oneof(hostileText, fc.constant('returning\0')), hostileText, hostileText);

test('no tool name, id, arguments or text of a reply', async () => {
  const property = fc.asyncProperty(hostileText, fc.array(oddCall, { maxLength: 6 }), async (said, calls) => {
    // A reply that says nothing and calls nothing is a fault of the model's.
    fc.pre(said.trim() !== '' || calls.length > 0);
    const parts = calls.map(([name, args, id]) => toolCall(name, args, { id }));
    const model = scriptedModel([reply(text(said), ...parts), text('done')], { pieceChars: 10_000 });
    const turn = await worker.start(model, 'hello', { stream: true });
    expect((await turn.result()).type).toBe('completed');
  });
  await fc.assert(property, TURNS);
});

test('no argument of a call that is run', async () => {
  const property = fc.asyncProperty(fc.array(hostileText, { minLength: 4, maxLength: 6 }), async (keys) => {
    given = ['as ever'];
    const calls = keys.map((key) => toolCall('returning', { index: 0, [key]: key }));
    const turn = await worker.start(scriptedModel([reply(...calls), text('done')]));
    expect((await turn.result()).text).toBe('done');
  });
  await fc.assert(property, TURNS);
});

test('no prompt, instructions or metadata of a turn', async () => {
  const metadata = fc
    .dictionary(hostileText, hostileText, { maxKeys: 4 })
    .filter((data) => jsonBytes(data) <= 16_000);
  const property = fc.asyncProperty(
    hostileText,
    hostileText,
    metadata,
    async (prompt, instructions, data) => {
      given = ['as ever'];
      const model = scriptedModel([toolCall('returning', { index: 0 }), text('done')]);
      const turn = await worker.start(model, prompt, { instructions, metadata: data });
      expect((await turn.result()).text).toBe('done');
    },
  );
  await fc.assert(property, TURNS);
});

/** A provider's own words, as a ModelError and as an error of another kind. */
const modelError = fc.oneof(
  hostileText.map((message) => new ModelError('Model.BadRequest', message, { retryable: false })),
  thrown,
);

test('no error of a model: the turn fails by name', async () => {
  const property = fc.asyncProperty(modelError, async (error) => {
    const model: Model = { name: 'failing', call: () => Promise.reject(error) };
    const ended = await (await worker.start(model)).result().catch((caught: unknown) => caught);
    expect(ended).toBeInstanceOf(TurnFailed);
    expect(ended).toMatchObject({ type: expect.stringMatching(/^Model\.(BadRequest|Failed)$/) });
  });
  await fc.assert(property, { numRuns: 10 });
});

test('no reply that is larger than what Temporal carries: the turn ends', async () => {
  const model = scriptedModel([text('x'.repeat(3_000_000))], { pieceChars: 1_000_000 });
  const ended = await (await worker.start(model)).result().catch((caught: unknown) => caught);
  expect(ended).toMatchObject({ status: 'FAILED', type: 'Model.BadResponse' });
});
