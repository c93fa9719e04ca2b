import { ModelError } from '../../shared/model-port.js';
import type { UnknownUsage, Usage } from '../../shared/usage.js';
import { wireText } from '../../shared/wire-text.js';
import { withoutSecrets } from './secrets.js';

export const MAX_FAILURE_BYTES = 2048;
const DETAILS = ' Details: ';

type FailureOptions = {
  /** Will not be in the text. */
  key?: string | undefined;
  retryAfterMs?: number | undefined;
  retryable?: boolean;
  /** Where more tries would not help, however passing the fault is. */
  maxAttempts?: number | undefined;
  /** What the call cost all the same. */
  usage?: Usage | UnknownUsage | undefined;
  /** In place of the type's own. */
  advice?: string | undefined;
};

/**
 * A {@link ModelError} whose text says what to do, then the details; at most 2 KB, without `key` and whatever else
 * looks like a key. It has no `cause`: that would carry headers and bodies into Temporal's history.
 */
export function modelFailure(
  type: ModelFailureType,
  details: string,
  options: FailureOptions = {},
): ModelError {
  const { retryable, advice } = whatToDo[type];
  const said = withoutSecrets(details, options.key);
  return new ModelError(type, wireText(`${options.advice ?? advice}${DETAILS}${said}`, MAX_FAILURE_BYTES), {
    retryable: options.retryable ?? retryable,
    retryAfterMs: options.retryAfterMs,
    maxAttempts: options.maxAttempts,
    usage: options.usage,
  });
}

/** Of a failure's text the details, without what to do in a turn; the whole text where it has none. */
export function detailsOf({ message }: ModelError): string {
  const at = message.indexOf(DETAILS);
  return at === -1 ? message : message.slice(at + DETAILS.length);
}

export type ModelFailureType = keyof typeof whatToDo;

const whatToDo = {
  'Model.Misconfigured': { retryable: false, advice: 'The model is not set up. Check OPENAI_BASE_URL.' },
  'Model.Authentication': { retryable: false, advice: 'The provider refused the key. Check OPENAI_API_KEY.' },
  'Model.PermissionDenied': {
    retryable: false,
    advice: 'The key may not do this. Ask the provider for access to the model, or use another key or model.',
  },
  'Model.NotFound': {
    retryable: false,
    advice:
      "There is no such model, or nothing at this address. Check the model's name and OPENAI_BASE_URL, which usually ends in /v1.",
  },
  'Model.BadRequest': {
    retryable: false,
    advice: 'The provider refused the request, and would again. Change what it complains of.',
  },
  'Model.ContextTooLong': {
    retryable: false,
    advice: "The conversation is longer than the model's context. Shorten it, or use a model with more.",
  },
  'Model.QuotaExceeded': {
    retryable: false,
    advice: "The account's quota is used up. Add credit, or raise its limit at the provider.",
  },
  'Model.RateLimited': {
    retryable: true,
    advice: 'Too many requests; it will be tried again. If it goes on, raise the rate limit.',
  },
  'Model.Overloaded': {
    retryable: true,
    advice: 'The provider is overloaded; it will be tried again. If it goes on, use another model.',
  },
  'Model.Unavailable': {
    retryable: true,
    advice: 'The provider failed; it will be tried again. If it goes on, see its status page.',
  },
  'Model.Timeout': {
    retryable: true,
    advice: 'The provider took too long; it will be tried again. If it goes on, raise the timeouts.',
  },
  'Model.Connection': {
    retryable: true,
    advice:
      'The provider was not reached; it will be tried again. If it goes on, check the network and OPENAI_BASE_URL.',
  },
  'Model.StreamCut': {
    retryable: true,
    advice: 'The reply was cut before its end, and nothing of it is used; it will be tried again.',
  },
  'Model.BadResponse': {
    retryable: true,
    advice:
      "The answer is no reply of OpenAI's protocol; it will be tried again. If it goes on, check OPENAI_BASE_URL.",
  },
  'Model.EmptyReply': {
    retryable: true,
    advice:
      'The model said nothing and called nothing. It is asked once more; if that is in vain, use another model.',
  },
  'Model.Failed': { retryable: false, advice: 'The model call failed in a way that is not known.' },
} as const;
