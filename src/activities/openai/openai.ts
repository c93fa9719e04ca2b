import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
} from '../../shared/model-port.js';
import { callChat } from '../openai-chat/call-chat.js';
import { cancelInBackground } from '../openai-responses/call-in-background.js';
import { callResponses } from '../openai-responses/call-responses.js';
import { accessOf, isOpenAi, modelName } from './access.js';
import { refuseEmpty } from './empty-reply.js';
import { limiterAt } from './limiter.js';
import { checkNumbers } from './numbers.js';
import { loadSdk } from './openai-client.js';
import { type OpenAiOptions, requireOptions } from './options.js';
import { hostOf } from './origin.js';
import { hasPrice, priced, priceProblem, pricesOfEnvironment } from './prices.js';

/**
 * A model behind OpenAI's Chat Completions or Responses API, at OpenAI or at any server that speaks it. The variables
 * are read, and the SDK is loaded, at the first call. It retries nothing: that is Temporal's. `Model.Misconfigured`
 * says which variable is missing. Throws a TypeError for what is no option, for a price table that is none, and for a
 * number that is out of range.
 */
export function openai(options: OpenAiOptions = {}): Model {
  const callApi = options.api === 'responses' ? callResponses : callChat;
  requireOptions(options);
  checkNumbers('openai', options);
  const problem = priceProblem(options.prices ?? {});
  if (problem !== undefined) throw new TypeError(`openai({ prices }): ${problem}.`);

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
    const limiter = limiterAt(`${hostOf(access)} ${named.model}`);
    const prices = options.prices ?? pricesOfEnvironment();
    return await limiter.run(options, named, context, async () => {
      try {
        const asked = { access, options: optionsOf(options, request), request: named, context };
        const { lacksCalls: _lacksCalls, ...reply } = refuseEmpty(await callApi(asked), context);
        const usage = reply.usage && priced(reply.usage, prices, [named.model, reply.model]);
        return { ...reply, model: reply.model ?? named.model, ...(usage && { usage }) };
      } catch (error) {
        if (error instanceof ModelError && typeof error.usage === 'object')
          error.usage = priced(error.usage, prices, [named.model]);
        throw error;
      }
    });
  }

  return {
    get name() {
      return options.model || process.env['OPENAI_MODEL'] || '';
    },
    call,
    unpriced(given) {
      const name = given || modelName(options);
      return hasPrice(options.prices ?? pricesOfEnvironment(), name) ? undefined : name;
    },
    async cancel(id) {
      await cancelInBackground(() => accessOf(options), id);
    },
    async prepare() {
      // Node loads what `fetch` is made of when one of its classes is first used, which takes it 20 ms.
      new Headers();
      await loadSdk();
    },
  };
}

/** The turn's own options go before the model's; fields of both bodies are sent. */
function optionsOf(options: OpenAiOptions, { options: own }: ModelRequest): OpenAiOptions {
  if (own === undefined) return options;
  const body = { ...options.body, ...own.body };
  return { ...options, ...own, body };
}
