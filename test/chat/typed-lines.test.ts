import { describe, expect, test } from 'vitest';
import { PastedLines, withLineEnds } from '../../src/cli/chat/pasted-lines.js';
import { promptsOf, recap } from '../../src/cli/chat/recap.js';
import { columnAfter, isCommand } from '../../src/cli/chat/screen.js';
import type { Message } from '../../src/shared/messages.js';

const BEGIN = '\u001b[200~';
const END = '\u001b[201~';

async function typed(...chunks: string[]): Promise<string> {
  const lines = new PastedLines();
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  let text = '';
  for await (const part of lines) text += String(part);
  return text;
}

test('pasted lines are one line that is sent as several', async () => {
  const text = await typed(`see: ${BEGIN}one\r\ntwo\n`, `\tthree${END}\r`);
  expect(text).toBe('see: one⏎two⏎  three\r');
  expect(withLineEnds(text.trimEnd())).toBe('see: one\ntwo\n  three');
});

test('a paste is one also where its marks come in pieces, and keys come through at once', async () => {
  expect(await typed('\u001b[20', '0~a\nb\u001b[2', '01~\r')).toBe('a⏎b\r');
  expect(await typed('\u001b', '[A')).toBe('\u001b[A');
});

test('a path is no command', () => {
  expect(['/title', '/title A new one', '/etc/hosts is odd', '/2'].map(isCommand)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

describe('the column after a text', () => {
  test.each([
    ['ab', 0, 2],
    ['ab\ncde', 7, 3],
    ['\u001b[1mab\u001b[0m', 3, 5],
    ['0123456789', 0, 10],
    ['0123456789a', 0, 1],
    ['你', 9, 2],
    ['ab\n', 5, 0],
  ])('%j from column %i is %i', (text, before, after) => {
    expect(columnAfter(text, before, 10)).toBe(after);
  });
});

const plain = (text: string) => text;
const terminal = {
  write: () => undefined,
  width: 80,
  style: { dim: plain, bold: plain, red: plain, green: plain, yellow: plain },
};

const says = (role: 'user' | 'assistant', text: string): Message => ({
  id: text,
  role,
  content: [{ type: 'text', id: `${text}.0`, text }],
});

test('who comes back sees the last exchanges, and has what was asked before at the arrow keys', () => {
  const call = { type: 'tool_call', id: 'c', name: 'bash', arguments: '{"command":"ls"}' } as const;
  const messages: Message[] = [
    says('user', 'one'),
    says('assistant', 'first'),
    says('user', 'two'),
    { id: 'a', role: 'assistant', content: [call] },
    {
      id: 't',
      role: 'tool',
      content: [{ type: 'tool_result', callId: 'c', name: 'bash', status: 'ok', content: [] }],
    },
    says('assistant', 'second'),
    says('user', 'three'),
  ];
  expect(recap(messages, terminal)).toBe(
    '… 1 more before; /transcript shows all\n> two\n  ✓ bash ls\nsecond\n> three\n',
  );
  expect(promptsOf(messages)).toEqual(['three', 'two', 'one']);
});
