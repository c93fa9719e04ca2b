import { namesOf, requireKnown, requireOneOf } from '../../define/known-options.js';
import type { ModelOptions } from '../../shared/model-options.js';
import type { Prices } from './prices.js';

export type OpenAiOptions = ModelOptions & {
  /** Default: the variable OPENAI_MODEL. */
  model?: string;
  /** Of any server that speaks the API. Default: OPENAI_BASE_URL, else OpenAI's. It usually ends in `/v1`. */
  baseURL?: string;
  /** Default: OPENAI_API_KEY. A server of one's own may need none. */
  apiKey?: string;
  /** `chat` is Chat Completions, which every server speaks; `responses` is OpenAI's newer one. Default `chat`. */
  api?: 'chat' | 'responses';
  /**
   * Until the first of a reply's text, reasoning or calls, and between two pieces of it while the model is known to
   * think. Keep-alive comments don't count, nor does a frame that says only that the reply has begun. Milliseconds,
   * default 120,000.
   */
  firstTokenTimeoutMs?: number;
  /** Between two pieces of a reply, of whatever kind. Milliseconds, default 60,000. */
  idleTimeoutMs?: number;
  /** Of one answer, as it comes over the wire; a longer one is `Model.BadResponse`. Default 64 MB. */
  maxReplyBytes?: number;
  headers?: Record<string, string>;
  /**
   * `false` asks for each reply in one piece: for servers that can't stream. Nothing is seen of it before its end, an
   * interrupt keeps nothing of it, and all of it must come within `firstTokenTimeoutMs`. Default true.
   */
  stream?: boolean;
  /**
   * With `api: 'responses'`: the provider runs the call by itself and is asked how far it is, so that a call of many
   * minutes outlives a lost connection or worker. The provider stores the reply for it; nothing streams.
   */
  background?: boolean;
  /**
   * The server can be told to answer with JSON of a schema (`response_format`). Without it an agent's `output` is asked
   * for in words, once the model is done. Default: only OpenAI's own server.
   */
  structuredOutput?: boolean;
  /**
   * The server holds the model to the schema of each tool that is `strict`. Default: only OpenAI's own server; others
   * may not know the field, or may refuse schemas that OpenAI takes.
   */
  strictTools?: boolean;
  /**
   * Which messages of the model go back with their reasoning, by Chat Completions: `tools` those of a turn in which it
   * called tools, as DeepSeek and Kimi require; `always`; or `never`, for servers that refuse it. Default `tools`.
   */
  sendReasoning?: 'tools' | 'always' | 'never';
  /** Calls of this model at this address that run at once in this process; the others wait in their order. */
  maxConcurrent?: number;
  /** Tokens, read and written, that all calls of this model at this address may take in a minute, as a wait. */
  tokensPerMinute?: number;
  /**
   * US dollars for a million tokens, by the model's name as it was asked for or as the provider names it: so that
   * `usage.costUsd` is known. Default: the variable HOLDFAST_PRICES, the same as JSON.
   */
  prices?: Prices;
};

const NAMES = namesOf<OpenAiOptions>({
  model: true,
  baseURL: true,
  apiKey: true,
  api: true,
  firstTokenTimeoutMs: true,
  idleTimeoutMs: true,
  maxReplyBytes: true,
  headers: true,
  stream: true,
  background: true,
  structuredOutput: true,
  strictTools: true,
  sendReasoning: true,
  maxConcurrent: true,
  tokensPerMinute: true,
  prices: true,
  toolChoice: true,
  parallelToolCalls: true,
  temperature: true,
  reasoningEffort: true,
  maxOutputTokens: true,
  body: true,
});

/** Throws a TypeError that names what is no option, or none that can be. */
export function requireOptions(options: OpenAiOptions): void {
  requireKnown('openai', options, NAMES, "openai({ model: 'gpt-5' })");
  const { api, sendReasoning } = options;
  if (api !== undefined) requireOneOf('openai({ api })', api, ['chat', 'responses']);
  if (sendReasoning !== undefined)
    requireOneOf('openai({ sendReasoning })', sendReasoning, ['tools', 'always', 'never']);
}
