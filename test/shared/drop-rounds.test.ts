import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dropOldRounds } from '../../src/shared/drop-rounds.js';
import { jsonBytes } from '../../src/shared/json.js';
import { type Message, textContent } from '../../src/shared/messages.js';
import { toolMessage, transcriptProblems } from '../../src/shared/transcript.js';

const user = (id: string): Message => ({ role: 'user', id, content: textContent(id, `said ${id}`) });

function round(index: number, bytes: number): Message[] {
  const call = { type: 'tool_call' as const, id: `c${index}`, name: 'read', arguments: '{}' };
  const result = {
    ...{ type: 'tool_result' as const, callId: call.id, name: 'read', status: 'ok' as const },
    content: textContent(call.id, 'x'.repeat(bytes)),
  };
  return [
    { role: 'assistant', id: `a${index}`, content: [call] },
    toolMessage(`t${index}`, [call], new Map([[call.id, result]])),
  ];
}

const anyTranscript = fc
  .array(fc.record({ bytes: fc.nat(3000), steered: fc.boolean() }), { maxLength: 30 })
  .map((rounds) => [
    user('prompt'),
    ...rounds.flatMap(({ bytes, steered }, index) => [
      ...round(index, bytes),
      ...(steered ? [user(`s${index}`)] : []),
    ]),
  ]);
const total = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + jsonBytes(message), 0);

describe('dropping old rounds', () => {
  test('leaves a transcript that is small enough as it is', () => {
    expect(dropOldRounds([user('prompt'), ...round(0, 100)], 0, 10_000)).toBeUndefined();
  });

  test('drops the oldest ones first, and says how many, also the second time', () => {
    const messages = [user('prompt'), ...round(0, 1000), ...round(1, 1000), ...round(2, 1000)];
    const once = dropOldRounds(messages, 0, 3500)?.messages ?? [];
    expect(once.map(({ id }) => id)).toEqual(['prompt', 'holdfast-dropped-rounds', 'a2', 't2']);
    expect(JSON.stringify(once[1]?.content)).toContain('[2 earlier steps');
    const twice = dropOldRounds([...once, ...round(3, 1000), ...round(4, 1000)], 0, 3500)?.messages ?? [];
    expect(twice.map(({ id }) => id)).toEqual(['prompt', 'holdfast-dropped-rounds', 'a4', 't4']);
    expect(JSON.stringify(twice[1]?.content)).toContain('[4 earlier steps');
  });

  test('any transcript stays valid, keeps what people said and its last round, and fits or has nothing to drop', () => {
    fc.assert(
      fc.property(anyTranscript, fc.integer({ min: 500, max: 20_000 }), (messages, maxBytes) => {
        const shorter = dropOldRounds(messages, 0, maxBytes)?.messages;
        if (!shorter) return;
        expect(transcriptProblems(shorter)).toEqual([]);
        const said = (list: readonly Message[]) =>
          list.filter(({ role, id }) => role === 'user' && id !== 'holdfast-dropped-rounds');
        expect(said(shorter)).toEqual(said(messages));
        expect(shorter.at(-1)).toEqual(messages.at(-1));
        const rounds = shorter.filter(({ role }) => role === 'assistant').length;
        expect(rounds).toBeGreaterThan(0);
        if (rounds > 1) expect(total(shorter)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  test('tells where the turn began, when what came before it was dropped', () => {
    const earlier = [user('old'), ...round(0, 1000), ...round(1, 1000)];
    const messages = [...earlier, user('prompt'), ...round(2, 1000)];
    const shorter = dropOldRounds(messages, earlier.length, 2000);
    expect(shorter?.messages[shorter.firstOwn]?.id).toBe('prompt');
  });
});
