import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { retryFailure } from '../../src/activities/tool-retries.js';
import { defineTool } from '../../src/define/define-tool.js';
import { retryable } from '../../src/define/retryable.js';
import type { RetryOptions } from '../../src/define/tool-retry.js';

const base = { name: 'find', description: '', input: z.object({}), run: () => 'found' };

describe('a retry', () => {
  test('is refused of a tool that may not run twice, with what to do instead', () => {
    expect(() => defineTool({ ...base, retry: { attempts: 3 } })).toThrow(
      'Tool find: retry needs idempotent: true, because a try that has failed may have had effects, which another one would repeat. Where a try has had none, throw retryable(error) instead.',
    );
  });

  test.each<[RetryOptions, string]>([
    [{ attempts: 1 }, 'retry.attempts: 1 is not a whole number from 2 to 100'],
    [{ attempts: 2.5 }, 'retry.attempts: 2.5 is not'],
    [{ attempts: 101 }, 'retry.attempts: 101 is not'],
    [{ attempts: 2, initialInterval: 0 }, 'retry.initialInterval: 0 is not a duration'],
    [{ attempts: 2, initialInterval: '2 hours', maximumInterval: '1 hour' }, 'maximumInterval is less'],
  ])('that can not be is refused: %j', (retry, problem) => {
    expect(() => defineTool({ ...base, idempotent: true, retry })).toThrow(problem);
  });

  test('has waits from 200 ms to 10 s, or from and to what it says', () => {
    const waits = (retry: RetryOptions) => {
      const made = defineTool({ ...base, idempotent: true, retry }).retry;
      return [made?.initialInterval, made?.maximumInterval];
    };
    expect(waits({ attempts: 2 })).toEqual([200, 10_000]);
    expect(waits({ attempts: 2, initialInterval: '1 minute' })).toEqual([60_000, 60_000]);
    expect(waits({ attempts: 2, initialInterval: 5, maximumInterval: '1 second' })).toEqual([5, 1000]);
  });

  test('is for what its `when` says, and for what the tool calls retryable, until its attempts are used up', () => {
    const busy = new Error('busy');
    const isTried = (error: unknown, attempt: number, retry?: RetryOptions) => {
      const tool = defineTool({ ...base, idempotent: true, ...(retry && { retry }) });
      return retryFailure(error, tool.retry, { attempt }) !== undefined;
    };
    const isBusy = { attempts: 3, when: (error: unknown) => error === busy };
    expect(isTried(busy, 2, { attempts: 3 })).toBe(true);
    expect(isTried(busy, 3, { attempts: 3 })).toBe(false);
    expect(isTried(busy, 1)).toBe(false);
    expect(isTried(busy, 1, isBusy)).toBe(true);
    expect(isTried(new Error('other'), 1, isBusy)).toBe(false);
    expect(isTried(retryable('other'), 1, isBusy)).toBe(true);
    expect(isTried(retryable('other'), 3, isBusy)).toBe(false);
    expect(isTried(retryable('other'), 4)).toBe(true);
    const broken = { attempts: 3, when: () => Boolean(JSON.parse('{')) };
    expect(isTried(busy, 1, broken)).toBe(false);
  });
});

describe('an output', () => {
  test('has a JSON schema, for those who list tools', () => {
    const tool = defineTool({ ...base, output: z.array(z.int()), run: () => [1] });
    expect(tool.outputSchema).toMatchObject({ type: 'array', items: { type: 'integer' } });
  });

  test('that has none is refused by its place', () => {
    expect(() =>
      defineTool({ ...base, output: z.object({ at: z.date() }), run: () => ({ at: new Date() }) }),
    ).toThrow(
      'Tool find: its output has no JSON schema. at: Date cannot be represented in JSON Schema. Use z.iso.datetime()',
    );
  });
});
