import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toChatMessages } from '../../src/activities/openai-chat/to-chat-messages.js';
import { toInputItems } from '../../src/activities/openai-responses/to-input-items.js';
import { bodyStart, cutFor, isSummary, lastSaid, turnCutFor } from '../../src/shared/compaction/exchanges.js';
import { applyPieces, clearedPieces, summaryPieces } from '../../src/shared/compaction/pieces.js';
import { coversOf, type Summarising } from '../../src/shared/compaction/plan.js';
import { summaryMessage } from '../../src/shared/compaction/summary-text.js';
import { type Message, type ToolMessage, textContent } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { chatRequest } from '../../src/testing/chat-request.js';
import { refuseRequest } from '../../src/testing/refuse-request.js';
import { refuseResponses } from '../../src/testing/refuse-responses.js';
import { responsesRequest } from '../../src/testing/responses-request.js';
import { anyConversation, round, said } from './transcripts.js';

/** Why a strict provider of either API would refuse it, or undefined. */
function refused(messages: readonly Message[]): string | undefined {
  const chat = chatRequest.parse({ model: 'x', messages: toChatMessages('', messages) });
  const responses = responsesRequest.parse({ model: 'x', input: toInputItems(messages, 'here') });
  return refuseRequest(chat) ?? refuseResponses(responses);
}

/** With a summary in the place of all before the cut, but for what a person said last. */
function cutAt(messages: readonly Message[], cut: number): Message[] {
  const from = bodyStart(messages);
  const last = lastSaid(messages);
  const moved = last >= from && last < cut && { said: last };
  const plan: Summarising = { do: 'summarise', from, cut, maxTokens: 100, ...moved };
  const summary = summaryMessage(`c${messages.length}`, 'What was done.', coversOf(messages, plan), '');
  return applyPieces(messages, summaryPieces(messages.length, plan, summary), 0).messages;
}

/** Those that leave at least one message out. */
function cuts(messages: readonly Message[], cutOf: typeof cutFor): number[] {
  const kept = Array.from({ length: messages.length + 1 }, (_, index) => index);
  return kept.flatMap((count) => cutOf(messages, count) ?? []).filter((cut) => cut > bodyStart(messages));
}

/** That a provider takes as they are. */
const anyTaken = anyConversation.filter(
  (messages) => bodyStart(messages) < messages.length && refused(messages) === undefined,
);

function expectTaken(messages: readonly Message[]): void {
  expect(transcriptProblems(messages)).toEqual([]);
  expect(refused(messages)).toBeUndefined();
}

// O13: not some budgets, but each cut that there is; FA-102, MC-100
describe('of any conversation', () => {
  test('what stays after each possible cut, and after each cut of that, pairs calls with results', () => {
    fc.assert(
      fc.property(anyTaken, fc.constantFrom(cutFor, turnCutFor), (messages, cutOf) => {
        for (const cut of cuts(messages, cutOf)) {
          const once = cutAt(messages, cut);
          expectTaken(once);
          const later = [...once, said('later'), ...round('z', [1, 1])];
          for (const again of cuts(later, cutOf)) {
            const twice = cutAt(later, again);
            expectTaken(twice);
            expect(twice.filter(isSummary)).toHaveLength(1);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('there are cuts before each exchange, and none anywhere else', () => {
    fc.assert(
      fc.property(anyTaken, (messages) => {
        const replies = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
        const isFirst = (reply: number) =>
          messages.slice(bodyStart(messages), reply).every(({ role }) => role === 'user');
        const all = replies.length === 0 ? 0 : 1;
        expect(cuts(messages, cutFor)).toHaveLength(replies.filter((each) => !isFirst(each)).length + all);
      }),
    );
  });

  // FA-104: what a tool answers, a summary and a steer right after other words are no beginning of a turn
  test('a cut between turns is before what a person said first, or after all', () => {
    fc.assert(
      fc.property(anyTaken, fc.boolean(), (conversation, isCompacted) => {
        const [cut] = cuts(conversation, cutFor);
        const messages = isCompacted && cut !== undefined ? cutAt(conversation, cut) : conversation;
        for (const each of cuts(messages, turnCutFor)) {
          const [at, before] = [messages[each], messages[each - 1]];
          if (!at || messages.slice(each).every(({ role }) => role === 'user')) continue;
          expect([at?.role, isSummary(at)]).toEqual(['user', false]);
          expect(before?.role === 'user' && !isSummary(before)).toBe(false);
        }
      }),
    );
  });

  test('whichever old results are cleared, each call keeps one', () => {
    fc.assert(
      fc.property(anyTaken, fc.infiniteStream(fc.boolean()), (messages, isCleared) => {
        const cleared = messages.flatMap((message): [string, ToolMessage][] => {
          if (message.role !== 'tool') return [];
          const content = message.content.map((result) =>
            isCleared.next().value ? { ...result, content: textContent(result.callId, '[cleared]') } : result,
          );
          return [[message.id, { ...message, content }]];
        });
        expectTaken(applyPieces(messages, clearedPieces(messages, new Map(cleared)), 0).messages);
      }),
    );
  });
});
