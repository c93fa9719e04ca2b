import { expect, test } from 'vitest';
import { repetitionIn } from '../../src/shared/loop-guard.js';
import { type Message, textContent } from '../../src/shared/messages.js';
import { noteMessage } from '../../src/shared/notes.js';

let made = 0;
/** A reply with these calls, and their results. */
function round(...calls: [name: string, args: string, result?: string][]): Message[] {
  const ids = calls.map(() => `c${made++}`);
  return [
    {
      role: 'assistant',
      id: `a${made}`,
      content: calls.map(([name, args], at) => ({
        type: 'tool_call',
        id: ids[at] ?? '',
        name,
        arguments: args,
      })),
    },
    {
      role: 'tool',
      id: `t${made}`,
      content: calls.map(([name, , result = 'same'], at) => {
        const callId = ids[at] ?? '';
        return { type: 'tool_result', callId, name, status: 'ok', content: textContent(callId, result) };
      }),
    },
  ];
}
const words = (role: 'user' | 'assistant'): Message => ({ role, id: 'w', content: textContent('w', 'so') });
const times = (messages: Message[], most = 8) =>
  repetitionIn(messages, (name) => name === 'poll', most).times;
const a = () => round(['a', '{}']);
const b = () => round(['b', '{}']);

test('counts rounds in a row with the same calls, arguments and results', () => {
  expect(times([])).toBe(0);
  expect(times([...b(), ...a()])).toBe(1);
  expect(times([...b(), ...a(), ...a(), ...a()])).toBe(3);
  expect(times([...a(), ...round(['a', '{"x":1}'])])).toBe(1);
  expect(times([...a(), ...round(['a', '{}', 'another'])])).toBe(1);
  expect(times([...round(['a', '{}'], ['b', '{}']), ...a()])).toBe(1);
});

test('counts two rounds that take turns', () => {
  expect(repetitionIn([...a(), ...b(), ...a(), ...b(), ...a(), ...b()], () => false, 8)).toEqual({
    times: 3,
    steps: 2,
    tools: ['a', 'b'],
  });
});

test('a note of ours and a plan are no break, and what somebody says is one', () => {
  const note = noteMessage('run', 3, { kind: 'repeated', text: 'again' });
  expect(times([...a(), note, ...a(), words('assistant'), ...a()])).toBe(3);
  expect(times([...a(), ...a(), words('user'), ...a()])).toBe(1);
});

test('a tool that may be repeated is not counted', () => {
  const poll = () => round(['poll', '{}']);
  expect(times([...poll(), ...poll(), ...poll()])).toBe(0);
  expect(times([...poll(), ...a(), ...a()])).toBe(2);
});
