import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CompactedView } from '../../src/shared/compaction/compacted-view.js';
import { isSummary, turnCutFor } from '../../src/shared/compaction/exchanges.js';
import { summaryPieces } from '../../src/shared/compaction/pieces.js';
import { coversOf, planCompaction } from '../../src/shared/compaction/plan.js';
import { summaryMessage } from '../../src/shared/compaction/summary-text.js';
import type { Message } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { anyConversation, rates, round, said } from './transcripts.js';

const ids = (messages: readonly Message[] | undefined) => messages?.map(({ id }) => id);
const options = { trigger: 'asked' as const, room: 0, rates };

/** As the activity would, of this transcript. */
function compacted(messages: readonly Message[], between?: 'turns') {
  const plan = planCompaction(messages, { ...options, ...(between && { between }) });
  if (plan?.do !== 'summarise') return undefined;
  const summary = summaryMessage(`c-${messages.length}`, 'What was done.', coversOf(messages, plan), '');
  const pieces = summaryPieces(messages.length, plan, summary);
  return { pieces, count: messages.length, headId: messages.at(-1)?.id ?? '', cut: plan.cut };
}

// FA-106; field fault O13
test('a transcript compacted again and again is valid, and what is not in it is in the range of its one summary', () => {
  fc.assert(
    fc.property(anyConversation, fc.array(fc.nat(), { maxLength: 4 }), (messages, places) => {
      const view = new CompactedView();
      const ends = places.map((place) => place % (messages.length + 1)).sort((one, other) => one - other);
      for (const end of ends) {
        const whole = messages.slice(0, end);
        if (transcriptProblems(whole).length > 0) continue;
        const made = compacted(view.of(whole) ?? whole);
        if (made) view.apply(whole, made);
      }
      const now = view.of(messages) ?? messages;
      expect(transcriptProblems(now)).toEqual(transcriptProblems(messages));
      const covers = now.find(isSummary)?.covers;
      const place = (id?: string) => messages.findIndex((message) => message.id === id);
      const gone = messages.flatMap(({ id }, index) => (now.some((each) => each.id === id) ? [] : [index]));
      for (const index of gone) {
        expect(index).toBeGreaterThanOrEqual(place(covers?.from));
        expect(index).toBeLessThanOrEqual(place(covers?.to));
      }
      expect(gone.length).toBe(covers?.count ?? 0);
      expect(now.filter(isSummary).length).toBeLessThanOrEqual(1);
    }),
  );
});

test('what was made of another transcript than this one is left out', () => {
  const whole = [said('one'), ...round('a', []), said('two'), ...round('b', [])];
  const made = compacted(whole);
  const view = new CompactedView();
  if (made) view.apply(whole, { ...made, count: 3 });
  expect(view.of(whole)).toBeUndefined();
  if (made) view.apply(whole, made);
  expect(ids(view.of([...whole, said('three')]))?.at(-1)).toBe('three');
  expect(view.of([said('other')])).toBeUndefined();
});

// FA-104
test('between turns a summary is cut right before what a person said, or after all; one message is not worth one', () => {
  const turns = [said('one'), ...round('a', [5000]), ...round('a2', []), said('two'), ...round('b', [10])];
  expect([0, 1, 2, 3].map((kept) => turnCutFor(turns, kept))).toEqual([7, 4, 0, undefined]);
  const isStart = (cut: number) => cut === turns.length || turns[cut]?.role === 'user';
  for (const room of [0, 100, 500, 5000]) {
    const plan = planCompaction(turns, { ...options, room, between: 'turns' });
    expect(plan?.do === 'summarise' && isStart(plan.cut)).toBe(true);
  }
  expect(planCompaction(turns, { ...options, room: 500, between: 'turns' })).toMatchObject({
    from: 0,
    cut: 4,
  });
  expect(planCompaction([said('one')], { ...options, between: 'turns' })).toBeUndefined();
  expect(planCompaction(turns.slice(4, 5), { ...options, between: 'turns' })).toBeUndefined();
});
