import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import type { AssistantMessage } from '../../src/shared/messages.js';
import { type FaultOptions, fault } from '../../src/testing/index.js';
import { callServed, failureOf, question, requestOf } from '../openai-chat/call-served.js';
import { contextWith } from '../openai-responses/call-responses.js';

const failure = (options: FaultOptions) => failureOf(callServed([fault(options)]));

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function failureAt(baseURL: string, options: OpenAiOptions = {}) {
  return await failureOf(openai({ baseURL, ...options }).call(requestOf(), contextWith()));
}

describe('what kind of a fault it is, by what the provider says', () => {
  it.each([
    [
      400,
      'litellm.ContextWindowExceededError: litellm.BadRequestError: Input tokens exceed the configured limit of 272000 tokens.',
      'Model.ContextTooLong',
      false,
    ],
    [400, 'Input tokens exceed the configured limit of 272000 tokens.', 'Model.ContextTooLong', false],
    [400, 'max_tokens exceeds the maximum of 4096', 'Model.BadRequest', false],
    [400, '`max_completion_tokens` (9000) exceeds the limit of 4096', 'Model.BadRequest', false],
    [
      400,
      "max_tokens is too large: 9000. This model's maximum context length is 8192 tokens.",
      'Model.ContextTooLong',
      false,
    ],
    [500, 'failed to allocate context window buffer: CUDA OOM', 'Model.Unavailable', true],
    [500, 'context window manager crashed', 'Model.Unavailable', true],
    [400, 'The model is overloaded. Please try again later.', 'Model.Overloaded', true],
    [400, "Invalid schema for function 'find_overloaded'", 'Model.BadRequest', false],
  ])('%i "%s" is %s', async (status, message, type, retryable) => {
    expect(await failure({ status, body: { error: { message } } })).toMatchObject({ type, retryable });
  });

  it('is heard from the provider behind a gateway', async () => {
    const raw = '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}';
    const metadata = { raw, provider_name: 'Anthropic' };
    const error = { message: 'Provider returned error', code: 400, metadata };
    const { type, message } = await failure({ status: 400, body: { error } });
    expect(type).toBe('Model.ContextTooLong');
    expect(message).toContain('Provider returned error (Anthropic: {"error":{"message":"prompt is too long');
  });

  it('is heard there, too, of reasoning that is refused: it is asked once more without', async () => {
    const bodies: string[] = [];
    const url = await served((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        bodies.push(body);
        response.setHeader('content-type', 'application/json');
        const metadata = {
          raw: { error: { message: 'messages.1: Invalid `signature` in `thinking` block' } },
        };
        if (body.includes('I think'))
          return void response
            .writeHead(400)
            .end(JSON.stringify({ error: { message: 'Provider returned error', code: 400, metadata } }));
        response.end(JSON.stringify({ choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] }));
      });
    });
    const thought: AssistantMessage = {
      ...{ role: 'assistant', id: 'm1', stopReason: 'end_turn' },
      content: [
        { type: 'reasoning', id: 'm1.0', text: 'I think' },
        { type: 'text', id: 'm1.1', text: 'hm' },
      ],
    };
    const model = openai({ baseURL: url, stream: false, sendReasoning: 'always' });
    const { content } = await model.call(requestOf([question, thought, question]), contextWith());
    expect(content).toMatchObject([{ text: 'hello' }]);
    expect(bodies).toHaveLength(2);
  });
});

describe('how long a provider asks to wait is heard', () => {
  it("in Gemini's list of details", async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.Help' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
    ];
    const body = [
      { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details } },
    ];
    expect(await failure({ status: 429, body })).toMatchObject({
      type: 'Model.RateLimited',
      retryAfterMs: 34_500,
    });
  });

  it.each([true, false])('in the headers of a 200 with an error in it (stream: %s)', async (stream) => {
    const error = { message: 'Rate limited', code: 429 };
    const url = await served((_, response) => {
      const type = stream ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type, 'retry-after': '42' });
      response.end(stream ? `data: ${JSON.stringify({ error })}\n\n` : JSON.stringify({ error }));
    });
    expect(await failureAt(url, { stream })).toMatchObject({
      type: 'Model.RateLimited',
      retryAfterMs: 42_000,
    });
  });

  it('in the headers of an error whose text does not end', async () => {
    const url = await served((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '42' });
      response.write('{"error":');
    });
    const failed = await failureAt(url, { firstTokenTimeoutMs: 500 });
    expect(failed).toMatchObject({ type: 'Model.RateLimited', retryAfterMs: 42_000, usage: undefined });
  });

  it('and no wait at all is none: the tries are not used up at once', async () => {
    const failed = await failure({ status: 429, retryAfter: 0 });
    expect(failed).toMatchObject({ type: 'Model.RateLimited', retryable: true });
    expect(failed.retryAfterMs).toBeUndefined();
  });
});
