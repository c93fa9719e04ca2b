import { afterEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import type { AssistantMessage, Message } from '../../src/shared/messages.js';
import {
  fault,
  rawChunks,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { contextWith } from '../openai-responses/call-responses.js';
import { callDelta, delta, failureOf, question, requestOf } from './call-served.js';
import { answeredBy, kept } from './kept-reply.js';

const servers: ServedModel[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(script: Script): Promise<ServedModel> {
  const server = await serveScriptedModel(script);
  servers.push(server);
  return server;
}

type Asked = { messages?: readonly Message[]; model?: string; options?: OpenAiOptions };

async function ask(server: ServedModel, { messages = [question], model = 'a/m', options }: Asked = {}) {
  const request = { ...requestOf(messages), model };
  return await openai({ baseURL: server.url, ...options }).call(request, contextWith());
}

const look = callDelta({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } });
const signed = delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'cmVk' }] });
const plain = delta({ reasoning_content: 'hm' });
const round = (thought: unknown) => rawChunks([thought, look, delta({}, 'tool_calls')]);
const result = answeredBy('a');

/** A round with this thought, by the model `a/m` of a server of its own. */
async function roundOf(thought: unknown): Promise<Message[]> {
  const server = await serve([round(thought)]);
  return [question, kept(await ask(server), 'm1'), result];
}

/** What the last request had of the reply before it. */
function sentTo(server: ServedModel): unknown {
  return server.requests.at(-1)?.body.messages.find(({ role }) => role === 'assistant');
}

// O20: nobody gets what another one thought
describe('the reasoning of a reply', () => {
  it.each([
    ['plain', plain],
    ['signed', signed],
  ])('does not go to another server: %s', async (_, thought) => {
    const messages = await roundOf(thought);
    const elsewhere = await serve([round(thought), text('done')]);
    await ask(elsewhere, { messages });
    expect(sentTo(elsewhere)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
    });
  });

  it.each([
    ['its vendor by another name', 'a/m-2', true],
    ['another vendor', 'b/m', false],
    ['a model of another family', 'a/n', false],
  ])('behind one gateway goes to %s, or not', async (_, model, goes) => {
    const gateway = await serve([round(signed), text('done')]);
    const messages = [question, kept(await ask(gateway), 'm1'), result];
    await ask(gateway, { messages, model });
    expect('reasoning_details' in (sentTo(gateway) as object)).toBe(goes);
  });

  it('that an earlier version recorded goes by its host, or where nothing is known of it', async () => {
    const gateway = await serve([round(signed), text('done')]);
    const { host } = new URL(gateway.url);
    const old = async (opaque: string | undefined) => {
      const [, reply] = await roundOf(plain);
      const [, call] = (reply as AssistantMessage).content;
      const block = { type: 'reasoning' as const, id: 'r', text: 'hm', ...(opaque && { opaque }) };
      const before: AssistantMessage = { role: 'assistant', id: 'm1', content: call ? [block, call] : [] };
      await ask(gateway, { messages: [question, before, result] });
      return sentTo(gateway);
    };
    expect(await old(JSON.stringify({ at: host, reasoning_details: [{ data: 'x' }] }))).toMatchObject({
      reasoning_details: [{ data: 'x' }],
    });
    expect(await old('reasoning')).toMatchObject({ reasoning: 'hm' });
    expect(await old(undefined)).toMatchObject({ reasoning_content: 'hm' });
  });
});

function thoughtIn(messages: readonly Message[]): string {
  const blocks = messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
  return blocks.map((block) => (block.type === 'reasoning' ? block.text : '')).join('');
}

// O20: a conversation that goes on with another model, account or key is not refused for ever
describe('a request that is refused', () => {
  const refusal = (message: string, code = 'invalid_request_error') =>
    fault({ status: 400, body: { error: { message, code } } });

  const unless = (isFine: (thought: string) => boolean, message: string) => (messages: readonly Message[]) =>
    isFine(thoughtIn(messages)) ? text('done') : refusal(message);

  it.each([
    ["property 'reasoning_content' is unsupported"],
    ['messages.1.content.0: Invalid `signature` in `thinking` block'],
    ['Thought signature is not valid'],
  ])('for its reasoning is sent once more without it: %s', async (message) => {
    const server = await serve([round(plain), unless((thought) => thought === '', message)]);
    const messages = [question, kept(await ask(server), 'm1'), result];
    expect((await ask(server, { messages })).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(
      server.requests.slice(1).map(({ body }) => 'reasoning_content' in (body.messages[2] ?? {})),
    ).toEqual([true, false]);
    // What was refused is not tried again.
    await ask(server, { messages });
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    ['thinking is enabled but reasoning_content is missing in assistant tool call message at index 2'],
    ['The `reasoning_content` in the thinking mode must be passed back to the API.'],
  ])('for the want of it is sent once more with what there is: %s', async (message) => {
    const server = await serve([text('unused'), unless((thought) => thought !== '', message)]);
    const messages = await roundOf(plain);
    expect((await ask(server, { messages })).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(sentTo(server)).toMatchObject({ reasoning_content: 'hm' });
    const [, reply] = messages;
    const thoughtless = {
      ...(reply as AssistantMessage),
      content: (reply as AssistantMessage).content.slice(1),
    };
    await ask(server, { messages: [question, thoughtless, result] });
    expect(sentTo(server)).toMatchObject({ reasoning_content: ' ' });
  });

  it('for the want of it stays refused where none may be sent', async () => {
    const server = await serve([text('unused'), refusal('Missing `reasoning_content` field')]);
    const messages = await roundOf(plain);
    const options = { sendReasoning: 'never' } as const;
    expect((await failureOf(ask(server, { messages, options }))).type).toBe('Model.BadRequest');
    expect(server.requests).toHaveLength(1);
  });

  it('again is not sent a third time, and one that is refused for something else not a second time', async () => {
    const unsupported = refusal("property 'reasoning_content' is unsupported");
    const server = await serve([
      round(plain),
      (sent) => (thoughtIn(sent) === '' ? refusal('no such field') : unsupported),
    ]);
    const messages = [question, kept(await ask(server), 'm1'), result];
    expect((await failureOf(ask(server, { messages }))).message).toContain('no such field');
    expect(server.requests).toHaveLength(3);
    await failureOf(ask(server, { messages }));
    expect(server.requests).toHaveLength(4);
  });
});
