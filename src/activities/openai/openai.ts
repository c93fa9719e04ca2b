import type { Model, ModelContext, ModelRequest, ModelResponse } from '../../shared/model-port.js';
import { callChat } from '../openai-chat/call-chat.js';
import { callResponses } from '../openai-responses/call-responses.js';
import { accessOf, isOpenAi, modelName } from './access.js';
import { refuseEmpty } from './empty-reply.js';
import { limiterAt } from './limiter.js';
import type { OpenAiOptions } from './options.js';
import { originOf } from './origin.js';

/**
 * A model behind OpenAI's Chat Completions or Responses API, at OpenAI or at any server that speaks it. The variables
 * are read, and the SDK is loaded, at the first call. It retries nothing: that is Temporal's. `Model.Misconfigured`
 * says which variable is missing.
 */
export function openai(options: OpenAiOptions = {}): Model {
  const callApi = options.api === 'responses' ? callResponses : callChat;

  async function call(request: ModelRequest, context: ModelContext): Promise<ModelResponse> {
    context.signal.throwIfAborted();
    const access = accessOf(options);
    const { output, ...rest } = request;
    const { structuredOutput = isOpenAi(access.baseURL), strictTools = isOpenAi(access.baseURL) } = options;
    const named = {
      ...rest,
      model: request.model || modelName(options),
      ...(!strictTools && { tools: request.tools.map((tool) => ({ ...tool, strict: false })) }),
      ...(output && structuredOutput && { output }),
    };
    const limiter = limiterAt(`${originOf(access)} ${named.model}`);
    return await limiter.run(options, named, context.signal, async () => {
      const reply = refuseEmpty(await callApi({ access, options, request: named, context }));
      return { ...reply, model: reply.model ?? named.model };
    });
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
