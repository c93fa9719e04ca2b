import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Message, type ToolResultBlock, textOf, toolCallsOf } from '../../src/shared/messages.js';
import { pendingCalls, reconcile, toolMessage, transcriptProblems } from '../../src/shared/transcript.js';
import {
  anyTranscript,
  assistant,
  damagedTranscript,
  finishedResults,
  resultOf,
  tool,
  user,
  validTranscript,
} from './transcripts.js';

/** What a provider would refuse a transcript for, written apart from the code under test. */
function refusal(messages: readonly Message[]): string | undefined {
  const ids = messages.flatMap(toolCallsOf).map((call) => call.id);
  if (new Set(ids).size < ids.length) return 'an id is used twice';
  for (const [index, message] of messages.entries()) {
    const asked = toolCallsOf(message).map((call) => call.id);
    const next = messages[index + 1];
    const answered = next?.role === 'tool' ? next.content.map((result) => result.callId) : [];
    if (asked.join() !== answered.join()) return `calls ${asked} are answered by ${answered}`;
    if (index === 0 && message.role === 'tool' && message.content.length > 0) return 'a result comes first';
  }
  return undefined;
}

const textsOf = (messages: readonly Message[]) => messages.filter(({ role }) => role !== 'tool').map(textOf);

/** Each call's result, by what the result's text says. */
function answers(messages: readonly Message[]): [id: string, text: string][] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.map((result): [string, string] => [result.callId, textOfResult(result)])
      : [],
  );
}

function textOfResult(result: ToolResultBlock): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

describe('transcriptProblems', () => {
  test('are none exactly where a provider would take the transcript', () => {
    fc.assert(
      fc.property(anyTranscript, (messages) => {
        expect(transcriptProblems(messages).length === 0).toBe(refusal(messages) === undefined);
      }),
      { numRuns: 2000 },
    );
  });

  test('are none in a valid transcript', () => {
    fc.assert(
      fc.property(validTranscript, (messages) => {
        expect(transcriptProblems(messages)).toEqual([]);
      }),
    );
  });

  test.each([
    ['missing_result', [assistant('a'), user()]],
    ['missing_result', [assistant('a', 'b'), tool('a')]],
    ['orphan_result', [user(), tool('a')]],
    ['orphan_result', [assistant('a'), tool('a', 'b')]],
    ['duplicate_result', [assistant('a'), tool('a', 'a')]],
    ['wrong_order', [assistant('a', 'b'), tool('b', 'a')]],
    ['duplicate_call_id', [assistant('a'), tool('a'), assistant('a'), tool('a')]],
  ] as const)('name a %s', (kind, messages) => {
    expect(transcriptProblems(messages).map((problem) => problem.kind)).toContain(kind);
  });
});

describe('reconcile', () => {
  test('makes any transcript valid', () => {
    fc.assert(
      fc.property(anyTranscript, (messages) => {
        const repaired = reconcile(messages);
        expect(refusal(repaired)).toBeUndefined();
        expect(transcriptProblems(repaired)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('returns a valid transcript untouched', () => {
    fc.assert(
      fc.property(validTranscript, (messages) => {
        expect(reconcile(messages)).toBe(messages);
      }),
    );
  });

  // FA-045
  test('does nothing the second time', () => {
    fc.assert(
      fc.property(anyTranscript, (messages) => {
        const once = reconcile(messages);
        expect(reconcile(once)).toBe(once);
      }),
    );
  });

  test('loses no text of a user, a system message or the model, and keeps their order', () => {
    fc.assert(
      fc.property(anyTranscript, (messages) => {
        expect(textsOf(reconcile(messages))).toEqual(textsOf(messages));
      }),
    );
  });

  test('keeps each call with its name and arguments', () => {
    const withoutIds = (messages: readonly Message[]) =>
      messages.flatMap(toolCallsOf).map((call) => [call.name, call.arguments]);
    fc.assert(
      fc.property(anyTranscript, (messages) => {
        expect(withoutIds(reconcile(messages))).toEqual(withoutIds(messages));
      }),
    );
  });

  test('keeps each finished result, however late, split or repeated, and tells the missing ones as interrupted', () => {
    fc.assert(
      fc.property(damagedTranscript, (messages) => {
        const finished = finishedResults(messages);
        const repaired = reconcile(messages);
        expect(finishedResults(repaired)).toEqual(finished);
        const unfinished = repaired
          .flatMap((message) => (message.role === 'tool' ? message.content : []))
          .filter((result) => !finished.has(result.callId));
        for (const result of unfinished) expect(result).toMatchObject({ status: 'interrupted' });
      }),
      { numRuns: 1000 },
    );
  });

  test('leaves what it was given as it was', () => {
    fc.assert(
      fc.property(anyTranscript, (messages) => {
        const before = structuredClone(messages);
        reconcile(messages);
        expect(messages).toEqual(before);
      }),
    );
  });

  test('gives ids that providers take: at most 64 characters', () => {
    const long = 'x'.repeat(64);
    const repaired = reconcile([assistant(long, long), tool(long, long), assistant(long), tool(long)]);
    const ids = repaired.flatMap(toolCallsOf).map((call) => call.id);
    expect(ids.map((id) => id.length)).toEqual([64, 64, 64]);
    expect(new Set(ids).size).toBe(3);
  });

  test('gives each round of a reused id its own result', () => {
    const messages = [
      assistant('a'),
      tool(resultOf('a', 'first')),
      assistant('a'),
      tool(resultOf('a', 'second')),
    ];
    expect(answers(reconcile(messages))).toEqual([
      ['a', 'first'],
      ['a__2', 'second'],
    ]);
  });

  test('gives calls of one reply that share an id the results in their order', () => {
    const messages = [assistant('a', 'a'), tool(resultOf('a', 'first'), resultOf('a', 'second'))];
    expect(answers(reconcile(messages))).toEqual([
      ['a', 'first'],
      ['a__2', 'second'],
    ]);
  });

  test('gives no id that a later call has', () => {
    const messages = [
      assistant('a', 'a'),
      tool('a', 'a'),
      assistant('a__2'),
      tool(resultOf('a__2', 'its own')),
    ];
    const repaired = reconcile(messages);
    expect(refusal(repaired)).toBeUndefined();
    expect(answers(repaired).at(-1)?.[1]).toBe('its own');
  });

  test('prefers a finished result to an interrupted one, whichever came first', () => {
    const interrupted = { ...resultOf('a', 'interrupted'), status: 'interrupted' as const };
    const done = resultOf('a', 'done');
    expect(answers(reconcile([assistant('a'), tool(interrupted), tool(done)]))).toEqual([['a', 'done']]);
    expect(answers(reconcile([assistant('a'), tool(done), tool(interrupted)]))).toEqual([['a', 'done']]);
  });
});

describe('pendingCalls', () => {
  test('are the calls of the last message, and none once it is answered', () => {
    const calls = assistant('a', 'b');
    expect(pendingCalls([user(), calls]).map((call) => call.id)).toEqual(['a', 'b']);
    expect(pendingCalls([user(), calls, tool('a', 'b')])).toEqual([]);
    expect(pendingCalls([])).toEqual([]);
  });
});

describe('toolMessage', () => {
  test('answers each call once, in request order, whatever the order of the results', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(20)), fc.infiniteStream(fc.boolean()), (numbers, dice) => {
        const ids = numbers.map((number) => `call_${number}`);
        const known = [...ids].sort().filter(() => dice.next().value);
        const results = new Map(known.map((id) => [id, resultOf(id, `result of ${id}`)]));
        const made = toolMessage('t', toolCallsOf(assistant(...ids)), results);
        expect(made.content.map((result) => result.callId)).toEqual(ids);
        for (const result of made.content) {
          expect(result.status).toBe(results.has(result.callId) ? 'ok' : 'interrupted');
        }
      }),
    );
  });
});
