import fc from 'fast-check';
import type { Message, ToolResultBlock } from '../../src/shared/messages.js';

let count = 0;
const nextId = () => `m${count++}`;

export function user(text = 'hello'): Message {
  const id = nextId();
  return { role: 'user', id, content: [{ type: 'text', id: `${id}.0`, text }] };
}

/** A reply that makes these calls, by their ids. */
export function assistant(...callIds: string[]): Message {
  return { role: 'assistant', id: nextId(), content: callIds.map((id) => callOf(id)) };
}

function callOf(id: string) {
  return { type: 'tool_call' as const, id, name: 'look_up', arguments: '{}' };
}

/** A tool message with these results; an id alone is a finished one. */
export function tool(...results: (string | ToolResultBlock)[]): Message {
  const content = results.map((each) => (typeof each === 'string' ? resultOf(each, each) : each));
  return { role: 'tool', id: nextId(), content };
}

export function resultOf(callId: string, text: string): ToolResultBlock {
  const content = [{ type: 'text' as const, id: `${callId}.0`, text }];
  return { type: 'tool_result', callId, name: 'look_up', status: 'ok', content };
}

/** Few ids, so that they are often used again; two of them are what a second `a` is renamed to. */
const callId = fc.constantFrom('a', 'b', 'c', 'a__2', 'b__2', 'x'.repeat(64));
const status = fc.constantFrom('ok', 'error', 'denied', 'interrupted', 'unknown');
const textBlock = fc.string().map((text) => ({ type: 'text' as const, id: 't', text }));
const callBlock = fc
  .record({
    id: callId,
    name: fc.constantFrom('look_up', 'pay'),
    arguments: fc.constantFrom('', '{', '{"n":1}'),
  })
  .map((call) => ({ type: 'tool_call' as const, ...call }));
const resultBlock = fc
  .record({ callId, status, content: fc.array(textBlock, { maxLength: 1 }) })
  .map((result): ToolResultBlock => ({ type: 'tool_result', name: 'look_up', ...result }));

const anyMessage = fc.oneof(
  fc.record({ role: fc.constant('system'), content: fc.array(textBlock, { maxLength: 2 }) }),
  fc.record({ role: fc.constant('user'), content: fc.array(textBlock, { maxLength: 2 }) }),
  {
    weight: 3,
    arbitrary: fc.record({
      role: fc.constant('assistant'),
      content: fc.array(fc.oneof(textBlock, { weight: 2, arbitrary: callBlock }), { maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ role: fc.constant('tool'), content: fc.array(resultBlock, { maxLength: 4 }) }),
  },
);

/** Any messages in any order: results that are missing, repeated, strange, late; ids used again; empty messages. */
export const anyTranscript: fc.Arbitrary<Message[]> = fc
  .array(anyMessage, { maxLength: 10 })
  .map((messages) => messages.map((message, index) => ({ ...message, id: `m${index}` }) as Message));

/** The numbers of calls of each round; 0 is a reply without calls. */
const rounds = fc.array(fc.nat(3), { maxLength: 6 });

export const validTranscript: fc.Arbitrary<Message[]> = rounds.map((sizes) =>
  sizes.flatMap((size, round) => {
    const ids = Array.from({ length: size }, (_, index) => `call_${round}_${index}`);
    return [user(), assistant(...ids), ...(size > 0 ? [tool(...ids)] : [])];
  }),
);

type Fate = 'in place' | 'missing' | 'late' | 'first told as interrupted' | 'told twice';
const fates = fc.infiniteStream(
  fc.constantFrom<Fate>('in place', 'missing', 'late', 'first told as interrupted', 'told twice'),
);

/** A transcript of distinct ids whose results met various fates, some of them in the wrong order, too. */
export const damagedTranscript: fc.Arbitrary<Message[]> = fc
  .tuple(rounds, fates, fc.boolean())
  .map(([sizes, fateOf, reversed]) => {
    const inOrder = <Item>(items: Item[]) => (reversed ? items.toReversed() : items);
    const late: ToolResultBlock[] = [];
    const messages = sizes.flatMap((size, round) => {
      const ids = Array.from({ length: size }, (_, index) => `call_${round}_${index}`);
      const results = ids.flatMap((id) => {
        const result = resultOf(id, `result of ${id}`);
        const fate = fateOf.next().value;
        if (fate === 'late') late.push(result);
        if (fate === 'told twice') return [result, { ...result, status: 'error' as const }];
        if (fate === 'first told as interrupted')
          return [{ ...result, status: 'interrupted' as const }, result];
        return fate === 'in place' ? [result] : [];
      });
      return [user(), assistant(...ids), tool(...inOrder(results))];
    });
    return [...messages, ...inOrder(late).map((result) => tool(result))];
  });

/** By call id, the result that counts: the first one that is finished. */
export function finishedResults(messages: readonly Message[]): Map<string, ToolResultBlock> {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  const finished = results.filter((result) => result.status !== 'interrupted');
  return new Map(finished.toReversed().map((result) => [result.callId, result]));
}
