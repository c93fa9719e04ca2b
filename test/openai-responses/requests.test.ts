import { afterEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { toInputItems } from '../../src/activities/openai-responses/to-input-items.js';
import type { AssistantMessage, Message } from '../../src/shared/messages.js';
import type { ModelRequest, ModelResponse } from '../../src/shared/model-port.js';
import {
  fault,
  rawBytes,
  reasoning,
  reply,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { question, requestOf } from '../openai-chat/call-served.js';
import { kept } from '../openai-chat/kept-reply.js';
import { contextWith, ended, item, namedEvents } from './call-responses.js';

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function call(
  script: Script,
  request: ModelRequest,
  options: OpenAiOptions = {},
): Promise<ModelResponse> {
  server ??= await serveScriptedModel(script);
  const model = openai({ baseURL: server.url, api: 'responses', ...options });
  return await model.call(request, contextWith());
}

const image = { type: 'image' as const, id: 'i', mediaType: 'image/png', data: 'AAAA' };
const block = (said: string) => ({ type: 'text' as const, id: 't', text: said });
const look = { name: 'look', description: 'Looks.', schema: { type: 'object' } };

function answered(id: string, callId: string): Message {
  return {
    role: 'tool',
    id,
    content: [{ type: 'tool_result', callId, name: 'look', status: 'ok', content: [block('seen')] }],
  };
}

describe('the phase of a text', () => {
  it('goes back where it came from', async () => {
    const phased = { ...item.text('I look.'), phase: 'commentary' };
    const script = [
      rawBytes(namedEvents(ended('completed', [phased, item.call('look', '{}')]))),
      text('done'),
    ];
    const first = kept(await call(script, requestOf()), 'm1');
    await call(script, requestOf([question, first, answered('m2', 'call_1')]));
    expect(server?.responses[1]?.body.input[1]).toMatchObject({ role: 'assistant', phase: 'commentary' });
  });
});

describe('a Responses request', () => {
  it('is stateless and asks for encrypted reasoning', async () => {
    await call([text('hello')], { ...requestOf(), tools: [look] });
    expect(server?.responses[0]?.body).toMatchObject({
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Where is W1?' }],
      tools: [{ type: 'function', name: 'look', strict: false }],
    });
    expect(server?.responses[0]?.body).not.toHaveProperty('previous_response_id');
  });

  it('carries the options of the model and of the request', async () => {
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    await call(
      [text('hello')],
      {
        ...requestOf(),
        tools: [{ ...look, schema, strict: true }],
        output: { name: 'answer', schema, strict: true },
      },
      {
        structuredOutput: true,
        strictTools: true,
        toolChoice: { name: 'look' },
        parallelToolCalls: false,
        temperature: 0.2,
        reasoningEffort: 'low',
        maxOutputTokens: 99,
        stream: false,
        body: { service_tier: 'flex', include: null },
      },
    );
    expect(server?.responses[0]?.body).toMatchObject({
      stream: false,
      tools: [{ strict: true }],
      tool_choice: { type: 'function', name: 'look' },
      parallel_tool_calls: false,
      temperature: 0.2,
      reasoning: { effort: 'low' },
      max_output_tokens: 99,
      text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
      service_tier: 'flex',
    });
    expect(server?.responses[0]?.body).not.toHaveProperty('include');
  });

  it("has the request's tool choice before the model's, and none without tools", async () => {
    const options: OpenAiOptions = { toolChoice: 'required', parallelToolCalls: true };
    await call([text('hello')], { ...requestOf(), tools: [look], toolChoice: 'none' }, options);
    await call([text('hello')], requestOf(), options);
    expect(server?.responses[0]?.body).toMatchObject({ tool_choice: 'none' });
    expect(server?.responses[1]?.body).not.toHaveProperty('tool_choice');
    expect(server?.responses[1]?.body).not.toHaveProperty('parallel_tool_calls');
  });

  it('has images of a user and of a result in their place', () => {
    const messages: Message[] = [
      { role: 'user', id: 'm', content: [block('See:'), image] },
      {
        role: 'tool',
        id: 'r',
        content: [{ type: 'tool_result', callId: 'a', name: 'look', status: 'ok', content: [image] }],
      },
    ];
    const url = 'data:image/png;base64,AAAA';
    expect(toInputItems(messages, '')).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'See:' },
          { type: 'input_image', image_url: url },
        ],
      },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_image', image_url: url }] },
    ]);
  });

  it('is taken by a strict provider, whatever is in it', async () => {
    const messages: Message[] = [
      question,
      {
        role: 'assistant',
        id: 'm1',
        content: [
          { type: 'reasoning', id: 'r', text: 'from elsewhere', opaque: 'reasoning' },
          { type: 'tool_call', id: 'a', name: 'look', arguments: '{"a":"\ud83d' },
        ],
      },
      answered('m2', 'a'),
      { role: 'user', id: 'm3', content: [block('\ude00'), image] },
      { role: 'assistant', id: 'm4', content: [{ type: 'reasoning', id: 'r', text: 'hm' }, block('')] },
      { role: 'user', id: 'm5', content: [] },
    ];
    const request = {
      ...requestOf(messages),
      instructions: 'x\ud83d',
      tools: [{ ...look, description: '\ud83d' }],
    };
    const response = await call([text('unused'), text('unused'), text('fine')], request);
    expect(response.content).toEqual([{ type: 'text', text: 'fine' }]);
    expect(server?.refusals).toEqual([]);
  });
});

// O20
describe('reasoning of the Responses API', () => {
  const rounds: Script = [
    reply(reasoning('I think'), toolCall('look')),
    reply(reasoning('So'), text('W1 is here.')),
    text('Bye'),
  ];

  it.each([true, false])(
    'goes back encrypted before what it led to, also after the turn (stream: %s)',
    async (stream) => {
      const first = kept(await call(rounds, requestOf(), { stream }), 'm1');
      const messages: Message[] = [question, first, answered('m2', 'call_0_1')];
      const second = kept(await call(rounds, requestOf(messages), { stream }), 'm3');
      const more: Message = { role: 'user', id: 'm4', content: [block('Thanks.')] };
      await call(rounds, requestOf([...messages, second, more]), { stream });
      expect(server?.responses[2]?.body.input).toMatchObject([
        { role: 'user' },
        {
          type: 'reasoning',
          id: 'rs_0',
          summary: [{ text: 'I think' }],
          encrypted_content: expect.any(String),
        },
        { type: 'function_call', call_id: 'call_0_1' },
        { type: 'function_call_output', call_id: 'call_0_1' },
        { type: 'reasoning', summary: [{ text: 'So' }] },
        { role: 'assistant' },
        { role: 'user' },
      ]);
      expect(server?.refusals).toEqual([]);
    },
  );

  it('of another address stays away', async () => {
    const first = kept(await call(rounds, requestOf()), 'm1');
    expect(toInputItems([first], 'elsewhere.example:443')).toMatchObject([{ type: 'function_call' }]);
  });

  it.each([true, false])(
    'that can not be decrypted is left out, and the turn goes on (background: %s)',
    async (background) => {
      const body = {
        error: {
          message: 'The encrypted content gAAA could not be verified.',
          code: 'invalid_encrypted_content',
        },
      };
      const undecryptable = fault({ status: 400, body });
      const script: Script = [
        reply(reasoning('I think'), toolCall('look')),
        (sent) => (JSON.stringify(sent).includes('"reasoning"') ? undecryptable : text('Bye')),
      ];
      const first = kept(await call(script, requestOf()), 'm1');
      const messages: Message[] = [question, first, answered('m2', 'call_0_1')];
      const response = await call(script, requestOf(messages), { background });
      expect(response.content).toMatchObject([{ type: 'text', text: 'Bye' }]);
      const types = server?.responses
        .slice(1)
        .map(({ body: { input } }) => (input as { type?: string }[])[1]?.type);
      expect(types).toEqual(['reasoning', 'function_call']);
    },
  );

  it('that nothing follows stays away, as a provider would refuse it', async () => {
    const first = kept(await call(rounds, requestOf()), 'm1');
    const [thought] = first.content;
    const cut: AssistantMessage = { ...first, content: thought ? [thought] : [] };
    const origin = `${new URL(server?.url ?? '').host}/v1#scripted`;
    expect(toInputItems([first], origin)).toMatchObject([{ type: 'reasoning' }, {}]);
    expect(toInputItems([cut], origin)).toMatchObject([{ role: 'assistant' }]);
  });

  it('without encrypted content is shown, and not sent', async () => {
    const content = [{ type: 'reasoning' as const, id: 'r', text: 'hm' }, block('Yes')];
    expect(toInputItems([{ role: 'assistant', id: 'm', content }], '')).toMatchObject([
      { role: 'assistant' },
    ]);
  });
});
