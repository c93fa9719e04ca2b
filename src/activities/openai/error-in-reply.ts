import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';

const REPLY_FIELDS = ['choices', 'output', 'response', 'item', 'delta'];
const WORDS = ['message', 'msg', 'detail', 'error_msg'];
/** What some call a success. */
const NO_FAULT = ['0', '200', 'success', 'ok', ''];

/**
 * The error that an answer of status 200, or one of its events, is or has in it: under `error`; or, as vLLM, Zhipu,
 * FastAPI and their like send it, the object itself. As {@link providerError} reads it.
 */
export function errorInReply(value: Json): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value['error']) return value;
  if (REPLY_FIELDS.some((field) => field in value)) return undefined;
  const said = WORDS.map((field) => value[field]).find((word) => typeof word === 'string' && word !== '');
  const code = value['code'] ?? value['error_code'] ?? '';
  const isCode = ['string', 'number'].includes(typeof code) && !NO_FAULT.includes(String(code).toLowerCase());
  const isError =
    value['object'] === 'error' ||
    value['type'] === 'error' ||
    (said !== undefined && isCode) ||
    (Boolean(value['detail']) && Object.keys(value).length === 1);
  if (!isError) return undefined;
  return { ...value, ...(said !== undefined && { message: said }), ...(isCode && { code }) };
}
