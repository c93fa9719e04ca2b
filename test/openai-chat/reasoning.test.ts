import { afterEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { toChatMessages } from '../../src/activities/openai-chat/to-chat-messages.js';
import type { AssistantMessage, Message } from '../../src/shared/messages.js';
import {
  rawChunks,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { contextWith } from '../openai-responses/call-responses.js';
import { callDelta, delta, question, requestOf } from './call-served.js';
import { answeredBy, kept } from './kept-reply.js';

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function call(script: Script, messages: readonly Message[], options: OpenAiOptions = {}) {
  server ??= await serveScriptedModel(script);
  return await openai({ baseURL: server.url, ...options }).call(requestOf(messages), contextWith());
}

const result = answeredBy('a');
const look = callDelta({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } });
const finish = delta({}, 'tool_calls');

/** What the second request of a tool round has of the first reply. */
async function sentBack(chunks: unknown[], options: OpenAiOptions = {}): Promise<unknown> {
  const script = [rawChunks([...chunks, look, finish]), text('done')];
  const first = kept(await call(script, [question], options), 'm1');
  await call(script, [question, first, result], options);
  return server?.requests[1]?.body.messages[2];
}

// O20
describe('reasoning beside a call', () => {
  it.each(['reasoning_content', 'reasoning'])(
    'goes back unchanged in the field it came in: %s',
    async (field) => {
      expect(await sentBack([delta({ [field]: 'I thi' }), delta({ [field]: 'nk' })])).toMatchObject({
        [field]: 'I think',
      });
    },
  );

  it('goes back as signed and encrypted blocks, in order, put together from their pieces', async () => {
    const details = (...list: unknown[]) => delta({ reasoning: 'shown', reasoning_details: list });
    const chunks = [
      details({ type: 'reasoning.text', text: 'I thi', format: 'anthropic-claude-v1', index: 0 }),
      details({ type: 'reasoning.text', text: 'nk', format: 'anthropic-claude-v1', index: 0 }),
      details({ type: 'reasoning.text', signature: 'c2ln', index: 0 }),
      details({ type: 'reasoning.encrypted', data: 'cmVk', index: 1 }),
      details(
        { type: 'reasoning.text', text: 'So', index: 2 },
        { type: 'reasoning.encrypted', data: 'b25l', id: 'a' },
      ),
      details({ type: 'reasoning.encrypted', data: 'dHdv', id: 'b' }),
    ];
    const sent = await sentBack(chunks);
    expect(sent).toMatchObject({
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'I think',
          format: 'anthropic-claude-v1',
          index: 0,
          signature: 'c2ln',
        },
        { type: 'reasoning.encrypted', data: 'cmVk', index: 1 },
        { type: 'reasoning.text', text: 'So', index: 2 },
        { type: 'reasoning.encrypted', data: 'b25l', id: 'a' },
        { type: 'reasoning.encrypted', data: 'dHdv', id: 'b' },
      ],
    });
    expect(sent).not.toHaveProperty('reasoning');
  });

  it("goes back among the parts of the content, where it came so (Mistral's)", async () => {
    const thinking = [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }];
    expect(await sentBack([delta({ content: thinking }), delta({ content: 'Look.' })])).toMatchObject({
      content: [...thinking, { type: 'text', text: 'Look.' }],
    });
  });

  it('does not go where it is not wanted', async () => {
    const sent = await sentBack([delta({ reasoning_content: 'hm' })], { sendReasoning: 'never' });
    expect(sent).not.toHaveProperty('reasoning_content');
  });
});

describe('reasoning of other replies', () => {
  const thought = { type: 'reasoning' as const, id: 'r', text: 'hm' };
  const answer: AssistantMessage = {
    role: 'assistant',
    id: 'm3',
    content: [thought, { type: 'text', id: 't', text: 'Yes' }],
  };

  it('goes back after a tool round, and not without one', () => {
    const options = { origin: '', reasoning: 'tools' as const };
    expect(toChatMessages('', [result, answer], options)[1]).toMatchObject({ reasoning_content: 'hm' });
    expect(toChatMessages('', [question, answer], options)[1]).not.toHaveProperty('reasoning_content');
  });

  it('always goes back where that is asked for', () => {
    const options = { origin: '', reasoning: 'always' as const };
    expect(toChatMessages('', [question, answer], options)[1]).toMatchObject({ reasoning_content: 'hm' });
  });

  it('that was signed at another address, or by another API, stays away', async () => {
    const details = [{ type: 'reasoning.encrypted', data: 'x' }];
    const script = [rawChunks([delta({ reasoning_details: details }), look, finish])];
    const first = kept(await call(script, [question]), 'm1');
    const options = { origin: 'elsewhere.example', reasoning: 'tools' as const };
    expect(Object.keys(toChatMessages('', [first], options)[0] ?? {})).toEqual([
      'role',
      'content',
      'tool_calls',
    ]);
    const [block] = first.content;
    const item: AssistantMessage = {
      ...first,
      content: [{ ...thought, opaque: '{"at":"","item":{}}' }, ...first.content.slice(1)],
    };
    expect(block).toMatchObject({ opaque: expect.stringContaining('reasoning_details') });
    expect(Object.keys(toChatMessages('', [item])[0] ?? {})).toEqual(['role', 'content', 'tool_calls']);
  });
});

describe("a call's signature", () => {
  it.each([
    ['Gemini', { extra_content: { google: { thought_signature: 'c2ln' } } }],
    ['Vertex', { extra_content: { vertex: { thought_signature: 'c2ln' } } }],
    ['LiteLLM', { provider_specific_fields: { thought_signature: 'c2ln' } }],
  ])('goes back where it came: %s', async (_name, fields) => {
    const signed = callDelta({ index: 0, id: 'a', ...fields, function: { name: 'look', arguments: '{}' } });
    const script = [rawChunks([signed, finish]), text('done')];
    const first = kept(await call(script, [question]), 'm1');
    await call(script, [question, first, result]);
    const sent = server?.requests[1]?.body.messages[2];
    expect(sent).toMatchObject({ tool_calls: [{ id: 'a', ...fields }] });
    expect(toChatMessages('', [first], { origin: 'elsewhere', reasoning: 'tools' })[0]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
    });
  });
});
