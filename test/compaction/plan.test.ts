import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toChatMessages } from '../../src/activities/openai-chat/to-chat-messages.js';
import { cutFor, isSummary, lastSaid } from '../../src/shared/compaction/exchanges.js';
import {
  applyPieces,
  clearedPieces,
  summaryPieces,
  withoutPacked,
  withSummary,
} from '../../src/shared/compaction/pieces.js';
import { coversOf, oldOf, planCompaction, type Summarising } from '../../src/shared/compaction/plan.js';
import { summaryMessage } from '../../src/shared/compaction/summary-text.js';
import { tokensOfAll } from '../../src/shared/compaction/tokens.js';
import type { Message, ToolMessage } from '../../src/shared/messages.js';
import { noteMessage, planNote } from '../../src/shared/notes.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { chatRequest } from '../../src/testing/chat-request.js';
import { refuseRequest } from '../../src/testing/refuse-request.js';
import { anyConversation, rates, round, said } from './transcripts.js';

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id);

let summaries = 0;
function summarised(messages: readonly Message[], plan: Summarising): Message[] {
  const summary = summaryMessage(`c${summaries++}`, 'What was done.', coversOf(messages, plan), '');
  return applyPieces(messages, summaryPieces(messages.length, plan, summary), 0).messages;
}

/** With short texts in the place of the results of these calls. */
function cleared(messages: readonly Message[], callIds: ReadonlySet<string>): Message[] {
  const changed = messages.flatMap((message): [string, ToolMessage][] => {
    if (message.role !== 'tool') return [];
    const content = message.content.map((result) =>
      callIds.has(result.callId) ? { ...result, content: [] } : result,
    );
    return [[message.id, { ...message, content }]];
  });
  return applyPieces(messages, clearedPieces(messages, new Map(changed)), 0).messages;
}

describe('a transcript may be cut', () => {
  test('so that at no cut a call is parted from its results, in any conversation', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(16), (messages, kept) => {
        const cut = cutFor(messages, kept);
        if (cut === undefined) return;
        expect(messages[cut]?.role).not.toBe('tool');
        expect(transcriptProblems(messages.slice(cut))).toEqual([]);
        expect(transcriptProblems(messages.slice(0, cut))).toEqual([]);
        const replies = messages.slice(cut).filter(({ role }) => role === 'assistant');
        expect(replies).toHaveLength(kept);
      }),
    );
  });

  test('before what people said that led to a reply, and after all that they said last', () => {
    const messages = [said('u1'), ...round('a1', [1, 1]), said('u2'), ...round('a2', []), said('u3')];
    expect(messages[cutFor(messages, 1) ?? -1]?.id).toBe('u2');
    expect(messages[cutFor(messages, 0) ?? -1]?.id).toBe('u3');
    expect(cutFor(messages, 3)).toBeUndefined();
  });
});

describe('a plan for a transcript that is too long', () => {
  // FA-102
  test('of any conversation leaves it valid, with the last thing said and all that no model has seen, at every room', () => {
    fc.assert(
      fc.property(
        anyConversation,
        fc.nat(30_000),
        fc.constantFrom('window' as const, 'too_long' as const, 'asked' as const),
        (messages, room, trigger) => {
          const plan = planCompaction(messages, { trigger, room, rates });
          if (!plan) return;
          const made = plan.do === 'clear' ? cleared(messages, plan.callIds) : summarised(messages, plan);
          expect(transcriptProblems(made)).toEqual([]);
          const last = messages[lastSaid(messages)];
          if (last) expect(made).toContainEqual(last);
          const unseen = messages.slice(cutFor(messages, 0) ?? 0);
          expect(made.slice(made.length - unseen.length)).toEqual(unseen);
          expect(messages.filter(({ role }) => role === 'system')).toEqual(
            made.filter(({ role }) => role === 'system'),
          );
          if (plan.do === 'clear') expect(tokensOfAll(made, rates)).toBeLessThanOrEqual(room);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('clears old results, oldest first, where that is enough, and none of the last three exchanges', () => {
    const rounds = ['a1', 'a2', 'a3', 'a4', 'a5'].flatMap((id) => round(id, [4000]));
    const plan = planCompaction([said('u'), ...rounds], { trigger: 'window', room: 4500, rates });
    expect(plan).toEqual({ do: 'clear', callIds: new Set(['a1_0']) });
    const tight = planCompaction([said('u'), ...rounds], { trigger: 'window', room: 2000, rates });
    expect(tight?.do).toBe('summarise');
  });

  test('clears nothing that people have answered', () => {
    const asked = round('a1', [4000]).map((message) =>
      message.role === 'tool'
        ? { ...message, content: message.content.map((result) => ({ ...result, name: 'ask_user' })) }
        : message,
    );
    const rounds = ['a2', 'a3', 'a4', 'a5'].flatMap((id) => round(id, [4000]));
    const plan = planCompaction([said('u'), ...asked, ...rounds], { trigger: 'window', room: 4500, rates });
    expect(plan).toEqual({ do: 'clear', callIds: new Set(['a2_0']) });
  });

  // FA-102, FA-103
  test('keeps three exchanges where there is room for them, then two, one, none', () => {
    const messages = [said('u'), ...['a1', 'a2', 'a3', 'a4', 'a5'].flatMap((id) => round(id, [4000]))];
    const kept = [6000, 3000, 2000, 500].map((room) => {
      const plan = planCompaction(messages, { trigger: 'asked', room, rates });
      if (plan?.do !== 'summarise') return undefined;
      return idsOf(summarised(messages, plan)).filter((id) => /^a\d$/.test(id)).length;
    });
    expect(kept).toEqual([3, 2, 1, 0]);
  });

  test('keeps the last thing that a person said, also where Holdfast has told the model something since', () => {
    const note = noteMessage('run', 2, planNote(2));
    const rounds = ['a2', 'a3', 'a4', 'a5'].flatMap((id) => round(id, [4000]));
    const messages = [said('u'), ...round('a1', [4000]), note, ...rounds];
    const plan = planCompaction(messages, { trigger: 'asked', room: 2000, rates });
    expect(plan).toMatchObject({ do: 'summarise', said: 0 });
    expect(idsOf(summarised(messages, plan as Summarising))).toContain('u');
    expect(lastSaid(messages)).toBe(0);
  });

  // FA-104
  test('is none where there is only one thing to be summarised', () => {
    expect(planCompaction([said('u')], { trigger: 'too_long', room: 0, rates })).toBeUndefined();
    const one = [said('u'), ...round('a', [])];
    expect(planCompaction(one, { trigger: 'too_long', room: 0, rates })).toBeUndefined();
  });

  // FA-106
  test('folds an earlier summary into the new one, which stands for the messages of both', () => {
    const first = [said('u'), ...['a1', 'a2', 'a3', 'a4', 'a5'].flatMap((id) => round(id, [4000]))];
    const once = planCompaction(first, { trigger: 'asked', room: 3000, rates });
    if (once?.do !== 'summarise') throw new Error('a summary was to be planned');
    const middle = [...summarised(first, once), ...round('a6', [4000]), said('u2'), ...round('a7', [4000])];
    const twice = planCompaction(middle, { trigger: 'asked', room: 500, rates });
    if (twice?.do !== 'summarise') throw new Error('a summary was to be planned');
    const made = summarised(middle, twice);
    expect(made.filter((message) => message.role === 'user' && message.covers)).toHaveLength(1);
    expect(coversOf(middle, twice)).toEqual({ from: 'u', to: 'a7-results', count: 15 });
    expect(idsOf(made)[0]).toBe('u2');
  });

  test('any number of them, one after another, lose no message: each is there, or in a range of a summary', () => {
    fc.assert(
      fc.property(anyConversation, fc.array(fc.nat(3000), { maxLength: 4 }), (messages, rooms) => {
        let now: readonly Message[] = messages;
        let lost = 0;
        for (const room of rooms) {
          const plan = planCompaction(now, { trigger: 'asked', room, rates });
          if (plan?.do !== 'summarise') continue;
          lost += oldOf(now, plan).filter(({ id }) => !id.startsWith('c')).length;
          now = summarised(now, plan);
          expect(transcriptProblems(now)).toEqual([]);
        }
        const summary = now.find((message) => message.role === 'user' && message.covers);
        expect(summary?.role === 'user' ? summary.covers?.count : 0).toBe(lost);
        expect(now.length - (summary ? 1 : 0) + lost).toBe(messages.length);
      }),
    );
  });
});

/** Why a strict provider would refuse it, or undefined. */
function refused(messages: readonly Message[]): string | undefined {
  return refuseRequest(chatRequest.parse({ model: 'x', messages: toChatMessages('', messages) }));
}

describe('a strict provider', () => {
  test('takes what is left of a conversation with parallel calls, wherever it was cut', () => {
    const messages = [said('u'), ...round('a', [10, 10]), ...round('b', [], 'So be it.')];
    const cuts = [0, 1, 2].map((kept) => cutFor(messages, kept));
    expect(cuts).toEqual([4, 3, 0]);
    for (const cut of cuts.slice(0, 2)) {
      const plan: Summarising = { do: 'summarise', from: 0, cut: cut ?? 0, maxTokens: 100, said: 0 };
      expect(refused(summarised(messages, plan))).toBeUndefined();
    }
    // It would see it, were the cut elsewhere.
    const wrong: Summarising = { do: 'summarise', from: 0, cut: 2, maxTokens: 100 };
    expect(refused(summarised(messages, wrong))).toContain('has no tool call before it');
  });

  // O13
  test('takes any conversation after any compaction', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(20_000), fc.boolean(), (messages, room, asked) => {
        const plan = planCompaction(messages, { trigger: asked ? 'asked' : 'window', room, rates });
        if (!plan || refused(messages) !== undefined) return;
        const made = plan.do === 'clear' ? cleared(messages, plan.callIds) : summarised(messages, plan);
        expect(refused(made)).toBeUndefined();
      }),
    );
  });
});

describe('a compacted transcript', () => {
  test('tells where the turn began, when what came before it went', () => {
    const earlier = [said('old'), ...round('a0', [10]), ...round('a1', [10])];
    const messages = [...earlier, said('prompt'), ...round('a2', [10])];
    const plan: Summarising = { do: 'summarise', from: 0, cut: earlier.length, maxTokens: 100 };
    const summary = summaryMessage('c', 'Old.', coversOf(messages, plan), '');
    const made = applyPieces(messages, summaryPieces(messages.length, plan, summary), earlier.length);
    expect(made.messages[made.firstOwn]?.id).toBe('prompt');
  });

  test('is what the next turn is given of the whole conversation and the last summary', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(3000), (messages, room) => {
        const plan = planCompaction(messages, { trigger: 'asked', room, rates });
        if (plan?.do !== 'summarise') return;
        const made = summarised(messages, plan);
        const summary = made.find(isSummary);
        if (!summary) throw new Error('there was to be a summary');
        expect(withSummary(messages, summary)).toEqual(made);
        expect(withSummary(made, summary)).toEqual(made);
      }),
    );
  });

  test('is the same where the workflow does not hold its first messages itself', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(3000), fc.nat(10), (messages, room, packed) => {
        const plan = planCompaction(messages, { trigger: 'asked', room, rates });
        if (plan?.do !== 'summarise' || packed > messages.length) return;
        const summary = summaryMessage('c', 'Done.', coversOf(messages, plan), '');
        const pieces = summaryPieces(messages.length, plan, summary);
        const whole = applyPieces(messages, pieces, 0).messages;
        const told = withoutPacked(pieces, messages, packed);
        expect(applyPieces(messages.slice(packed), told, 0, packed).messages).toEqual(whole);
      }),
    );
  });
});
