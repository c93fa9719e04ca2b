import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { isNotFound } from '../../src/client/not-found.js';

const answer = (code: number) =>
  Object.assign(new Error('from gRPC'), { code, details: 'text', metadata: {} });

test.each([
  ["the client's error", new WorkflowNotFoundError('gone', 'id', 'run'), true],
  ["gRPC's answer", answer(5), true],
  ['another answer', answer(14), false],
  ['a DOMException, whose old code is the same', new DOMException('Bad', 'InvalidCharacterError'), false],
  ['no error', { code: 5, details: '' }, false],
])('%s: is it that there is no such workflow?', (_what, error, expected) => {
  expect(isNotFound(error)).toBe(expected);
});
