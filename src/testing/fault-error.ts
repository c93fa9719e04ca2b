import { classifyError, providerError } from '../activities/openai/classify-error.js';
import { modelFailure } from '../activities/openai/model-failure.js';
import type { Json } from '../shared/json.js';
import type { ModelError } from '../shared/model-port.js';
import type { Fault } from './script.js';

/** What the adapter would throw, had a server answered with this fault. */
export function faultError(fault: Fault): ModelError {
  if (fault.status === undefined) {
    return modelFailure('Model.StreamCut', 'the script cut the stream here');
  }
  const body = faultBody(fault);
  // In the middle of a stream the status is only in the body, as the HTTP status was 200 long before.
  const status = fault.afterChars === undefined ? fault.status : undefined;
  const text = typeof body === 'string' ? body : undefined;
  return classifyError(providerError(status, body, text, new Headers(faultHeaders(fault))));
}

export function faultHeaders(fault: Fault): Record<string, string> {
  const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
  return { ...wait, ...fault.headers };
}

export function faultBody(fault: Fault): Json {
  return (
    fault.body ?? { error: { message: `the script answers ${fault.status}`, code: fault.status ?? null } }
  );
}

/** What streams before the fault. */
export function textBeforeFault(fault: Fault): string {
  const characters = [...(fault.text ?? 'This reply will not come to its end. '.repeat(100))];
  return characters.slice(0, fault.afterChars ?? 0).join('');
}
