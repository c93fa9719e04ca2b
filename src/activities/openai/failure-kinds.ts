import type { ModelFailureType } from './model-failure.js';

/** What a provider said about its failure. */
export type ProviderFault = {
  /** Of the answer, or, inside of a 200, the one that the body names. */
  status: number | undefined;
  /** Code, type and the like of the body. */
  words: readonly string[];
  text: string;
};

/**
 * OpenAI, vLLM: "maximum context length is"; "exceeds the context window"; llama.cpp: "exceeds the available context
 * size"; Ollama: "input length exceeds the context length"; Anthropic: "prompt is too long"; Gemini: "input token
 * count (9) exceeds the maximum"; OpenRouter: "This endpoint's maximum context length is"; Mistral: "Prompt contains 9
 * tokens ... too large for model"; LM Studio: "greater than the context length"; Bedrock: "Input is too long"; LiteLLM:
 * "ContextWindowExceededError: Input tokens exceed the configured limit".
 */
const TOO_LONG =
  /maximum context length|context[ _](?:length|window|size|limit)|ContextWindowExceeded|maximum (?:input|prompt|model|sequence) length|(?:prompt|input|conversation|request|messages?) (?:is|are) too long|too many (?:input |total |prompt )?tokens|input (?:token count|length)|tokens?.{0,40}(?:too large for model|exceeds? the (?:max|limit|configured limit))|exceed(?:s|ed)? (?:the |model )(?:max(?:imum)? (?:number of )?(?:input )?tokens|token limit)/i;

const TOO_LONG_WORDS = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'string_above_max_length',
];

/** `max_tokens` above what the model writes: the conversation is not at fault. */
const OUTPUT_LIMIT =
  /max(?:imum)?[_ ]?(?:\w{1,10}[_ ])?(?:output[_ ]?)?tokens|(?:output|completion)[_ ]tokens/i;
const OF_INPUT = /context|input|prompt|message|conversation/i;

/** A server that fails says so of itself, with the same words: only these say it of the request. */
const EXCEEDS = /exceed|too (?:long|large|many|big)|(?:longer|larger|greater|more) than|maximum/i;
const OUT_OF_MEMORY = /out of memory|\bOOM\b|allocat/i;

/** Words of a limit by the minute, which may count tokens, too. */
const PER_TIME = /per (?:minute|min|day|hour)|rate.?limit|\bTPM\b/i;

/** What answers at an address without the API says so in a 200, too (LM Studio). */
const NO_ENDPOINT = /unexpected endpoint|no such endpoint|unknown (?:endpoint|route|url)|cannot POST/i;

/** What the Responses API says of an input that it can't use. */
const BAD_INPUT = /^(?:invalid|unsupported|empty|image)_|_image$|^(?:bio_policy|data_residency_mismatch)$/;

/** The words of OpenAI and of those that speak its protocol, where there is no status. */
const typeOfWord: Readonly<Record<string, ModelFailureType>> = {
  invalid_api_key: 'Model.Authentication',
  authentication_error: 'Model.Authentication',
  permission_error: 'Model.PermissionDenied',
  permission_denied: 'Model.PermissionDenied',
  model_not_found: 'Model.NotFound',
  not_found_error: 'Model.NotFound',
  invalid_request_error: 'Model.BadRequest',
  rate_limit_exceeded: 'Model.RateLimited',
  rate_limit_error: 'Model.RateLimited',
  too_many_requests: 'Model.RateLimited',
  server_error: 'Model.Unavailable',
  internal_server_error: 'Model.Unavailable',
  internal_error: 'Model.Unavailable',
  api_error: 'Model.Unavailable',
  timeout: 'Model.Timeout',
  timeout_error: 'Model.Timeout',
};

export function typeOfFault(fault: ProviderFault): ModelFailureType {
  const words = fault.words.map((word) => word.toLowerCase());
  if (isTooLong(fault, words)) return 'Model.ContextTooLong';
  if (isOutOfQuota(fault, words)) return 'Model.QuotaExceeded';
  if (isOverloaded(fault, words)) return 'Model.Overloaded';
  if (fault.status === undefined && NO_ENDPOINT.test(fault.text)) return 'Model.NotFound';
  if (fault.status !== undefined) return typeOfStatus(fault.status);
  const known = words.find((word) => Object.hasOwn(typeOfWord, word));
  const type = known === undefined ? undefined : typeOfWord[known];
  return type ?? (words.some((word) => BAD_INPUT.test(word)) ? 'Model.BadRequest' : 'Model.Failed');
}

function isTooLong({ status, text }: ProviderFault, words: readonly string[]): boolean {
  if (words.some((word) => TOO_LONG_WORDS.includes(word))) return true;
  const isServers = status === 500 && (!EXCEEDS.test(text) || OUT_OF_MEMORY.test(text));
  const mayBe = status === undefined || status === 400 || status === 413 || status === 422 || status === 500;
  if (!mayBe || isServers || !TOO_LONG.test(text) || PER_TIME.test(text)) return false;
  return OF_INPUT.test(text) || !OUTPUT_LIMIT.test(text);
}

const OUT_OF_QUOTA = [
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'insufficient_balance',
  'insufficient_credits',
];

/** By its word, not by its text: Gemini says "exceeded your current quota" of a limit by the minute. */
function isOutOfQuota({ status, text }: ProviderFault, words: readonly string[]): boolean {
  if (status === 402) return true;
  if (words.some((word) => OUT_OF_QUOTA.includes(word))) return true;
  return (
    status === 429 &&
    /insufficient_quota|insufficient (?:balance|credits?|funds)|no resource package/i.test(text)
  );
}

const OVERLOADED = /overloaded|^slow_down$|^engine_|^unavailable$/;
/** Of the server itself: a request may have an overloaded function in it. */
const IS_OVERLOADED =
  /\b(?:model|server|engine|service|provider|system|we)\b.{0,60}\b(?:is|are) (?:currently |temporarily )?(?:overloaded|at capacity|busy)/i;

function isOverloaded({ status, text }: ProviderFault, words: readonly string[]): boolean {
  if (status === 503 || status === 529) return true;
  if (status === 400 && IS_OVERLOADED.test(text)) return true;
  const mayBe = status === undefined || status >= 500;
  return (
    mayBe &&
    (/overloaded|at capacity|server is busy/i.test(text) || words.some((word) => OVERLOADED.test(word)))
  );
}

function typeOfStatus(status: number): ModelFailureType {
  switch (status) {
    case 401:
      return 'Model.Authentication';
    case 403:
      return 'Model.PermissionDenied';
    case 404:
    case 405:
    case 501:
      return 'Model.NotFound';
    case 408:
      return 'Model.Timeout';
    case 409:
    case 425:
      return 'Model.Unavailable';
    case 429:
      return 'Model.RateLimited';
    default:
      return status >= 500 ? 'Model.Unavailable' : 'Model.BadRequest';
  }
}
