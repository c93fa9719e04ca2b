import fc from 'fast-check';
import { type Message, type ToolResultBlock, textContent } from '../../src/shared/messages.js';
import { toolMessage } from '../../src/shared/transcript.js';

export const rates = { bytesPerToken: 4, imageTokens: 2000 };

export const said = (id: string, text = `said ${id}`): Message => ({
  role: 'user',
  id,
  content: textContent(id, text),
});

/** A reply with so many calls at once, and their results of so many bytes each. */
export function round(id: string, sizes: readonly number[], text = ''): Message[] {
  const calls = sizes.map((_, index) => ({
    ...{ type: 'tool_call' as const, id: `${id}_${index}`, name: 'read', arguments: '{"page":1}' },
  }));
  const results = calls.map(
    (call, index): ToolResultBlock => ({
      ...{ type: 'tool_result', callId: call.id, name: 'read', status: 'ok' },
      content: textContent(call.id, 'x'.repeat(sizes[index] ?? 0)),
    }),
  );
  const content = [...(text === '' ? [] : textContent(id, text)), ...calls];
  const reply: Message = { role: 'assistant', id, content };
  if (calls.length === 0) return [reply];
  const byCall = new Map(results.map((result) => [result.callId, result]));
  return [reply, toolMessage(`${id}-results`, calls, byCall)];
}

/** Steers, answers without calls, batches of up to four calls, what the system says, with or without a first prompt. */
export const anyConversation = fc
  .record({
    system: fc.boolean(),
    prompt: fc.boolean(),
    rounds: fc.array(
      fc.record({
        sizes: fc.array(fc.nat(6000), { maxLength: 4 }),
        text: fc.constantFrom('', 'I look it up.', 'y'.repeat(800)),
        steers: fc.nat(2),
      }),
      { maxLength: 14 },
    ),
  })
  .map(({ system, prompt, rounds }): Message[] => [
    ...(system ? [{ role: 'system' as const, id: 'sys', content: textContent('sys', 'Be brief.') }] : []),
    ...(prompt ? [said('prompt')] : []),
    ...rounds.flatMap(({ sizes, text, steers }, index) => [
      ...round(`a${index}`, sizes, text || (sizes.length === 0 ? 'So be it.' : '')),
      ...Array.from({ length: steers }, (_, steer) => said(`s${index}_${steer}`)),
    ]),
  ]);
