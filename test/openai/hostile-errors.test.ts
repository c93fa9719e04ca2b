import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { badResponse } from '../../src/activities/openai/classify-error.js';
import { typeOfFault } from '../../src/activities/openai/failure-kinds.js';
import { openai } from '../../src/activities/openai/openai.js';
import { retryAfterInText } from '../../src/activities/openai/retry-after.js';
import { faultOfFinish } from '../../src/activities/openai/stop-reason.js';
import { outputOf } from '../../src/activities/output.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';

describe('what a provider says, however it is made', () => {
  // Each of these took seconds to minutes by a pattern that backtracks; the test's own timeout would end it.
  it('is read in time that grows with its length only', async () => {
    const many = 300_000;
    expect(badResponse(`<html>${'<title'.repeat(many)}`).type).toBe('Model.BadResponse');
    expect(retryAfterInText(`retryDelay${' '.repeat(many)}x`, Date.now())).toBeUndefined();
    const text = `\`\`\`json${'\n'.repeat(many)}`;
    const message = {
      ...{ role: 'assistant' as const, id: 'a', stopReason: 'end_turn' as const },
      content: [{ type: 'text' as const, id: 'a.0', text }],
    };
    const output = { type: z.string(), schema: {}, strict: false };
    expect(await outputOf(output, message, true)).toMatchObject({ ok: false });
  });

  it('may use the names of what every object has', () => {
    expect(faultOfFinish('constructor')).toBeUndefined();
    expect(typeOfFault({ status: undefined, words: ['constructor'], text: '' })).toBe('Model.Failed');
  });

  it('never has an address with a password in it', async () => {
    const call = openai({ baseURL: 'http://user:s3cret@localhost:1/v1', model: 'm' }).call(requestOf(), {
      ...{ signal: new AbortController().signal, attempt: 1 },
      onText: () => undefined,
    });
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
    expect(String(failure.message)).not.toContain('s3cret');
  });
});
