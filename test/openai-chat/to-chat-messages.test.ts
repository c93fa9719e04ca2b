import { describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { toChatMessages } from '../../src/activities/openai-chat/to-chat-messages.js';
import type { AssistantMessage, Message, ToolMessage } from '../../src/shared/messages.js';
import { serveScriptedModel, text } from '../../src/testing/index.js';
import { question, requestOf } from './call-served.js';

const image = { type: 'image' as const, id: 'i', mediaType: 'image/png', data: 'AAAA' };
const block = (said: string) => ({ type: 'text' as const, id: 't', text: said });

function asking(written: string, ...more: AssistantMessage['content']): AssistantMessage {
  return {
    role: 'assistant',
    id: 'm1',
    content: [...more, { type: 'tool_call', id: 'a', name: 'look', arguments: written }],
  };
}

function answering(...content: ToolMessage['content'][number]['content']): ToolMessage {
  return {
    role: 'tool',
    id: 'm2',
    content: [{ type: 'tool_result', callId: 'a', name: 'look', status: 'ok', content }],
  };
}

const argumentsOf = (written: string): unknown => {
  const [message] = toChatMessages('', [asking(written)]);
  if (message?.role !== 'assistant') throw new Error('no assistant message');
  return message.tool_calls?.map((call) => (call.type === 'function' ? call.function.arguments : ''));
};

describe('messages for the wire', () => {
  it('have the instructions first, unless there are none', () => {
    expect(toChatMessages('Be brief.', [])).toEqual([{ role: 'system', content: 'Be brief.' }]);
    expect(toChatMessages('', [])).toEqual([]);
  });

  it('have several messages of the user in a row as one', () => {
    const said = (text: string): Message => ({ role: 'user', id: text, content: [block(text)] });
    expect(toChatMessages('', [said('a'), said('b'), said('c')])).toEqual([
      { role: 'user', content: 'a\n\nb\n\nc' },
    ]);
  });

  it('have images of a user as data URLs', () => {
    expect(toChatMessages('', [{ role: 'user', id: 'm', content: [block('See:'), image] }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it.each([
    ['{"a": 1}', '{"a": 1}'],
    ['', '{}'],
    ['  ', '{}'],
    ['{"a":', '{"invalid_json":"{\\"a\\":"}'],
    ['[1]', '{"invalid_json":"[1]"}'],
    ['"text"', '{"invalid_json":"\\"text\\""}'],
    ['{"a":"\\ud83d"}', '{"a":"\ufffd"}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'],
  ])('have the arguments %s as %s', (written, sent) => {
    expect(argumentsOf(written)).toEqual([sent]);
  });

  it('have no content beside calls where the model said nothing', () => {
    expect(toChatMessages('', [asking('{}')])).toMatchObject([{ role: 'assistant', content: null }]);
  });

  it('have reasoning beside calls only, under the name it came by', () => {
    const thought = { type: 'reasoning' as const, id: 'r', text: 'hm' };
    expect(toChatMessages('', [asking('{}', thought)])).toMatchObject([{ reasoning_content: 'hm' }]);
    const [renamed] = toChatMessages('', [asking('{}', { ...thought, opaque: 'reasoning' })]);
    expect(renamed).toMatchObject({ reasoning: 'hm' });
    expect(renamed).not.toHaveProperty('reasoning_content');
    const said: Message = { role: 'assistant', id: 'm', content: [thought, block('Yes')] };
    expect(toChatMessages('', [said])).toEqual([{ role: 'assistant', content: 'Yes' }]);
  });

  it('have a placeholder where a content is empty', () => {
    const empty: Message[] = [
      { role: 'user', id: 'm0', content: [block('')] },
      asking('{}'),
      answering(block('')),
      { role: 'assistant', id: 'm3', content: [] },
    ];
    const contents = toChatMessages('', empty).map((message) => message.content);
    expect(contents).toEqual(['(no output)', null, '(no output)', '(no output)']);
  });

  it('have the images of results in one user message after them', () => {
    const sent = toChatMessages('', [asking('{}'), answering(image)]);
    expect(sent.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'The image is in the next message.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of look (a):' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('are taken by a strict provider, whatever is in them', async () => {
    const server = await serveScriptedModel([text('unused'), text('unused'), text('fine')]);
    const messages: Message[] = [
      question,
      asking('{"a":"\ud83d'),
      answering(block('x\ud83d')),
      { role: 'user', id: 'm3', content: [block('\ude00'), image] },
      { role: 'assistant', id: 'm4', content: [block('')] },
      { role: 'user', id: 'm5', content: [] },
    ];
    const request = {
      ...requestOf(messages),
      instructions: 'x\ud83d',
      tools: [{ name: 'look', description: 'Looks.\ud83d', schema: { type: 'object' } }],
    };
    const context = { signal: new AbortController().signal, attempt: 1, onText: () => undefined };
    const response = await openai({ baseURL: server.url }).call(request, context).finally(server.close);
    expect(response.content).toEqual([{ type: 'text', text: 'fine' }]);
    expect(server.refusals).toEqual([]);
  });

  it('come without tools where there are none', async () => {
    const server = await serveScriptedModel([text('fine')]);
    const context = { signal: new AbortController().signal, attempt: 1, onText: () => undefined };
    await openai({ baseURL: server.url }).call(requestOf(), context).finally(server.close);
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
  });
});
