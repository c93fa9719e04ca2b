import { jsonBytes } from './json.js';
import { is, isObject } from './shape.js';
import { wireText } from './wire-text.js';

const TENANT_BYTES = 64;
/** Each activity of the turn is told it. */
const METADATA_BYTES = 16_000;

/**
 * A tenant becomes Temporal's fairness key: with a longer one the server refuses the workflow task again and again, and
 * half a character in it ends the worker's process (measured on SDK 1.24).
 */
export const isTenant = is(
  `well-formed text of ${TENANT_BYTES} bytes at most`,
  (value) => typeof value === 'string' && wireText(value, TENANT_BYTES) === value,
);

export const isMetadata = is(
  `an object of ${METADATA_BYTES} bytes of JSON at most`,
  (value) => isObject(value, '').length === 0 && jsonBytes(value) <= METADATA_BYTES,
);
