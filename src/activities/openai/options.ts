import type { JsonObject } from '../../shared/json.js';

export type OpenAiOptions = {
  /** Default: the variable OPENAI_MODEL. */
  model?: string;
  /** Of any server that speaks the API. Default: OPENAI_BASE_URL, else OpenAI's. It usually ends in `/v1`. */
  baseURL?: string;
  /** Default: OPENAI_API_KEY. A server of one's own may need none. */
  apiKey?: string;
  /** `chat` is Chat Completions, which every server speaks; `responses` is OpenAI's newer one. Default `chat`. */
  api?: 'chat' | 'responses';
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
  /**
   * With `api: 'responses'`: the provider runs the call by itself and is asked how far it is, so that a call of many
   * minutes outlives a lost connection or worker. The provider stores the reply for it; nothing streams.
   */
  background?: boolean;
  /** What the model may do with tools; `required` and a name hold for every reply, so that such a turn never ends. */
  toolChoice?: 'none' | 'auto' | 'required' | { name: string };
  /** `false`: one tool call a reply at most. */
  parallelToolCalls?: boolean;
  temperature?: number;
  /** As the model knows it, such as `low` or `high`. */
  reasoningEffort?: string;
  /** Of one reply, reasoning included. */
  maxOutputTokens?: number;
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
  /** More fields of each request; they win over ours, and `null` takes one of ours away. */
  body?: JsonObject;
};
