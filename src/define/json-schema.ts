import { z } from 'zod';
import type { JsonObject } from '../shared/json.js';

/**
 * The JSON schema that a model is shown. Throws a TypeError that says what can't be one: a date, a bigint, a symbol, a
 * function, and in an output a transform.
 */
export function jsonSchema(what: string, type: z.ZodType, io: 'input' | 'output'): JsonObject {
  let schema: JsonObject;
  try {
    schema = z.toJSONSchema(type, { io, target: 'draft-7' }) as JsonObject;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new TypeError(`${what} has no JSON schema. ${problem}`);
  }
  delete schema['$schema'];
  return schema;
}
