import type { ModelFailureType } from './model-failure.js';

/** What a provider said about its failure. */
export type ProviderFault = {
  /** Of the answer, or, inside of a 200, the one that the body names. */
  status: number | undefined;
  /** Code, type and the like of the body. */
  words: readonly string[];
  text: string;
};

const TOO_LONG =
  /maximum context length|context[ _](?:length|window|size)|prompt is too long|input is too long|too many input tokens|input token count/i;

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
  if (fault.status !== undefined) return typeOfStatus(fault.status);
  return words.map((word) => typeOfWord[word]).find((type) => type !== undefined) ?? 'Model.Failed';
}

function isTooLong({ status, text }: ProviderFault, words: readonly string[]): boolean {
  if (words.some((word) => word === 'context_length_exceeded' || word === 'exceed_context_size_error'))
    return true;
  const mayBe = status === undefined || status === 400 || status === 413 || status === 422 || status === 500;
  return mayBe && TOO_LONG.test(text);
}

/** By its word, not by its text: Gemini says "exceeded your current quota" of a limit by the minute. */
function isOutOfQuota({ status, text }: ProviderFault, words: readonly string[]): boolean {
  if (status === 402) return true;
  if (words.some((word) => word === 'insufficient_quota' || word === 'billing_hard_limit_reached'))
    return true;
  return status === 429 && /insufficient_quota|insufficient (?:balance|credits)/i.test(text);
}

function isOverloaded({ status, text }: ProviderFault, words: readonly string[]): boolean {
  if (status === 503 || status === 529) return true;
  const mayBe = status === undefined || status >= 500;
  return mayBe && (/overloaded/i.test(text) || words.some((word) => word.includes('overloaded')));
}

function typeOfStatus(status: number): ModelFailureType {
  switch (status) {
    case 401:
      return 'Model.Authentication';
    case 403:
      return 'Model.PermissionDenied';
    case 404:
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
