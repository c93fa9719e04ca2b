import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/shared/json.js';
import { type FaultOptions, fault } from '../../src/testing/index.js';
import { callServed, failureOf } from '../openai-chat/call-served.js';

const failure = (options: FaultOptions) => failureOf(callServed([fault(options)]));
const error = (body: Json): Json => ({ error: body });

describe('a conversation that is too long', () => {
  it.each([
    [
      'OpenAI',
      400,
      { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' },
    ],
    [
      'OpenAI, older',
      400,
      { message: "This model's maximum context length is 8192 tokens. However, you requested 9000." },
    ],
    [
      'Anthropic',
      400,
      { message: 'prompt is too long: 210000 tokens > 200000 maximum', type: 'invalid_request_error' },
    ],
    [
      'Anthropic, with the output',
      400,
      { message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' },
    ],
    [
      'vLLM',
      400,
      { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' },
    ],
    [
      'vLLM, newer',
      400,
      {
        message:
          "You passed 9001 input tokens and requested 100 output tokens. However, the model's context length is only 8192 tokens",
      },
    ],
    [
      'llama.cpp',
      400,
      {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
      },
    ],
    [
      'llama.cpp, older',
      500,
      {
        code: 500,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'server_error',
      },
    ],
    [
      'Ollama',
      400,
      { message: 'the input length exceeds the context length', type: 'invalid_request_error' },
    ],
    [
      'OpenRouter',
      400,
      {
        code: 400,
        message:
          "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
      },
    ],
    [
      'Gemini',
      400,
      {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    ],
    [
      'Mistral',
      400,
      {
        message:
          'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      },
    ],
    ['Bedrock', 400, { message: 'Input is too long for requested model.' }],
    [
      'LM Studio',
      400,
      {
        message:
          'Trying to keep the first 9000 tokens when context the overflows. The number of tokens to keep from the initial prompt is greater than the context length.',
      },
    ],
    [
      'Kimi',
      400,
      {
        message: 'Invalid request: Your request exceeded model token limit: 262144',
        type: 'invalid_request_error',
      },
    ],
  ])('is told by %s', async (_name, status, body) => {
    expect(await failure({ status, body: error(body) })).toMatchObject({
      type: 'Model.ContextTooLong',
      retryable: false,
    });
  });

  it('is no limit of tokens by the minute', async () => {
    const message =
      'Request too large for gpt-5: Limit 30000 tokens per min (TPM), Requested 40000. The input or output tokens must be reduced.';
    expect(
      await failure({ status: 429, body: error({ message, code: 'rate_limit_exceeded' }) }),
    ).toMatchObject({ type: 'Model.RateLimited' });
  });
});
