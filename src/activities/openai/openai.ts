import type { ChatCompletionCreateParams, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { JsonObject } from '../../shared/json.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
  type ToolDescription,
} from '../../shared/model-port.js';
import { answerEvents } from './answer-events.js';
import { type Access, chatClient } from './client.js';
import { classifyError } from './classify-error.js';
import { readStream } from '../openai-chat/read-stream.js';
import { toChatMessages } from '../openai-chat/to-chat-messages.js';
import { wireTimer } from './wire-timer.js';

export type OpenAiOptions = {
  /** Default: the variable OPENAI_MODEL. */
  model?: string;
  /** Of any server that speaks Chat Completions. Default: OPENAI_BASE_URL, else OpenAI's. */
  baseURL?: string;
  /** Default: OPENAI_API_KEY. A server of one's own may need none. */
  apiKey?: string;
  /** Until the first event of a reply; keep-alive comments don't count. Milliseconds, default 120,000. */
  firstTokenTimeoutMs?: number;
  /** Between two pieces of a reply, of whatever kind. Milliseconds, default 60,000. */
  idleTimeoutMs?: number;
  headers?: Record<string, string>;
  /**
   * `false` asks for each reply in one piece: for servers that can't stream. Nothing is seen of it before its end, an
   * interrupt keeps nothing of it, and all of it must come within `firstTokenTimeoutMs`. Default true.
   */
  stream?: boolean;
  /** More fields of each request, such as `temperature`; they win over ours. */
  body?: JsonObject;
};

/**
 * A model behind the Chat Completions API. The variables are read, and the SDK is loaded, at the first call. It
 * retries nothing: that is Temporal's. `Model.Misconfigured` says which variable is missing.
 */
export function openai(options: OpenAiOptions = {}): Model {
  const { firstTokenTimeoutMs = 120_000, idleTimeoutMs = 60_000 } = options;

  async function call(request: ModelRequest, context: ModelContext): Promise<ModelResponse> {
    context.signal.throwIfAborted();
    const access = accessOf(options);
    const body = requestBody({ ...request, model: request.model || modelName(options) }, options);
    const timer = wireTimer(context.signal);
    let begun = false;
    let readToEnd = false;
    try {
      timer.waitFor('No reply began', firstTokenTimeoutMs);
      const client = await chatClient(access);
      const response = await client.chat.completions.create(body, { signal: timer.signal }).asResponse();
      const onBytes = () => begun && timer.waitFor('Nothing more of the reply came', idleTimeoutMs);
      const onEnd = () => {
        readToEnd = true;
      };
      const reply = await readStream(answerEvents(response, { onBytes, onEnd }), {
        onText: context.onText,
        onEvent(finished) {
          begun = !finished;
          if (finished) timer.waitNoMore();
          else timer.waitFor('Nothing more of the reply came', idleTimeoutMs);
        },
      });
      context.signal.throwIfAborted();
      return { ...reply, model: reply.model ?? body.model };
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      throw timer.problem() ?? classifyError(error, access.apiKey);
    } finally {
      timer.stop(readToEnd);
    }
  }

  return {
    get name() {
      return options.model || process.env['OPENAI_MODEL'] || '';
    },
    call,
    async prepare() {
      await import('openai');
    },
  };
}

function modelName(options: OpenAiOptions): string {
  const name = options.model || process.env['OPENAI_MODEL'];
  if (!name)
    throw misconfigured("No model is named. Set OPENAI_MODEL, or give one: openai({ model: '...' }).");
  return name;
}

function accessOf(options: OpenAiOptions): Access {
  const baseURL = (options.baseURL || process.env['OPENAI_BASE_URL'] || '').trim();
  const apiKey = (options.apiKey || process.env['OPENAI_API_KEY'] || '').trim();
  const { headers } = options;
  if (baseURL !== '' && !(/^https?:/.test(baseURL) && URL.canParse(baseURL))) {
    throw misconfigured(
      `OPENAI_BASE_URL is no http address: ${baseURL}. Set one like http://localhost:11434/v1.`,
    );
  }
  if (apiKey !== '' && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw misconfigured('OPENAI_API_KEY has a character that no key has, such as a space. Set it again.');
  }
  const needsKey = baseURL === '' || new URL(baseURL).hostname === 'api.openai.com';
  if (apiKey === '' && needsKey) {
    throw misconfigured(
      'OPENAI_API_KEY is not set. Set it, or set OPENAI_BASE_URL to a server that needs none.',
    );
  }
  return { apiKey, ...(baseURL !== '' && { baseURL }), ...(headers && { headers }) };
}

function misconfigured(text: string): ModelError {
  return new ModelError('Model.Misconfigured', text, { retryable: false });
}

function requestBody(
  request: ModelRequest,
  { stream = true, body = {} }: OpenAiOptions,
): ChatCompletionCreateParams {
  return {
    model: request.model,
    messages: toChatMessages(request.instructions, request.messages),
    ...(request.tools.length > 0 && { tools: request.tools.map(toolParam) }),
    ...(stream ? { stream, stream_options: { include_usage: true } } : { stream }),
    ...body,
  };
}

function toolParam(tool: ToolDescription): ChatCompletionTool {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description.toWellFormed(), parameters: tool.schema },
  };
}
