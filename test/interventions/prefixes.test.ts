import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TurnFold } from '../../src/shared/fold.js';
import type { Message, ToolResultBlock } from '../../src/shared/messages.js';
import { interruptionNote } from '../../src/shared/opening.js';
import type { RecordedStep } from '../../src/shared/recorded-step.js';
import { reconcile, transcriptProblems } from '../../src/shared/transcript.js';
import { anyRun } from './runs.js';

/** Any run, as far as it had come when it was interrupted. */
const interruptedRun = fc
  .tuple(anyRun, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([steps, share]) => steps.slice(0, 1 + Math.floor(share * (steps.length - 1))));

function folded(steps: readonly RecordedStep[]): TurnFold {
  const fold = new TurnFold();
  for (const step of steps) fold.apply(step);
  return fold;
}

function interrupted(steps: readonly RecordedStep[]): TurnFold {
  return folded([...steps, { kind: 'closed', at: '2026-01-01T00:00:00.000Z', outcome: 'interrupted' }]);
}

function resultsOf(messages: readonly Message[]): Map<string, ToolResultBlock> {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return new Map(results.map((result) => [result.callId, result]));
}

function callIdsIn(steps: readonly RecordedStep[], kind: 'tool_scheduled' | 'tool_ended'): Set<string> {
  return new Set(steps.flatMap((step) => (step.kind === kind ? [step.input.callId] : [])));
}

describe('a run that is interrupted anywhere', () => {
  // MC-041
  test('leaves a transcript that a provider takes', () => {
    fc.assert(
      fc.property(interruptedRun, (steps) => {
        const { messages } = interrupted(steps);
        expect(transcriptProblems(messages)).toEqual([]);
        expect(reconcile(messages)).toBe(messages);
      }),
      { numRuns: 1000 },
    );
  });

  test('keeps each result that had come, and tells what ran from what had not started', () => {
    fc.assert(
      fc.property(interruptedRun, (steps) => {
        const results = resultsOf(interrupted(steps).messages);
        const [started, ended] = [callIdsIn(steps, 'tool_scheduled'), callIdsIn(steps, 'tool_ended')];
        for (const [callId, { cause }] of results) {
          if (ended.has(callId) || cause === 'unknown_tool') {
            expect(['not_started', 'may_still_run']).not.toContain(cause);
          } else expect(cause).toBe(started.has(callId) ? 'may_still_run' : 'not_started');
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('begins with the same messages as the run itself', () => {
    fc.assert(
      fc.property(interruptedRun, (steps) => {
        const before = folded(steps).messages;
        expect(interrupted(steps).messages.slice(0, before.length)).toEqual(before);
      }),
    );
  });

  test('tells its end once, after the end of each call', () => {
    fc.assert(
      fc.property(interruptedRun, (steps) => {
        const fold = new TurnFold();
        const close = {
          kind: 'closed' as const,
          at: '2026-01-01T00:00:00.000Z',
          outcome: 'interrupted' as const,
        };
        const events = [...steps, close].flatMap((step) => fold.apply(step));
        const finished = events.flatMap((event) => (event.type === 'tool_finished' ? [event.callId] : []));
        expect(finished.toSorted()).toEqual([...resultsOf(fold.messages).keys()].toSorted());
        expect(events.at(-1)?.type).toBe('turn_ended');
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      }),
    );
  });
});

// What a caller has who saw a run up to some message, and hands that in for the next turn.
describe('the messages of a run up to anywhere, with a note of the interrupt', () => {
  test('are valid after reconcile, which keeps every result and every text', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(20), (steps, count) => {
        const seen = folded(steps).messages.slice(0, 1 + count);
        const note = interruptionNote(seen.at(-1)?.role, 'run', 'interrupted');
        const mended = reconcile([...seen, ...(note ? [note] : [])]);
        expect(transcriptProblems(mended)).toEqual([]);
        for (const [callId, result] of resultsOf(seen)) expect(resultsOf(mended).get(callId)).toEqual(result);
        expect(mended.filter(({ role }) => role !== 'tool')).toEqual(
          [...seen, ...(note ? [note] : [])].filter(({ role }) => role !== 'tool'),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
