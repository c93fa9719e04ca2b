import { isJsonObject, type Json } from '../shared/json.js';

const UNKNOWN_WORDS = ['default', 'propertyNames', 'allOf', 'oneOf', 'not', 'if', 'patternProperties'];

/**
 * Why OpenAI's strict mode would refuse this schema, or undefined: every object closed, all of its properties
 * required, each with a type of its own.
 */
export function refuseStrictSchema(schema: Json | undefined, path = '(root)'): string | undefined {
  if (!isJsonObject(schema)) return `${path}: a schema must be an object.`;
  if (path === '(root)' && schema['type'] !== 'object') return `${path}: type must be "object".`;
  const unknown = UNKNOWN_WORDS.find((word) => word in schema);
  if (unknown !== undefined) return `${path}: "${unknown}" is not permitted.`;
  const known = ['type', 'anyOf', '$ref', 'enum', 'const'].some((word) => word in schema);
  if (!known) return `${path}: schema must have a "type" key.`;
  const properties = schema['properties'];
  if (schema['type'] === 'object' || isJsonObject(properties)) {
    if (schema['additionalProperties'] !== false) return `${path}: "additionalProperties" must be false.`;
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const missing = Object.keys(isJsonObject(properties) ? properties : {}).find(
      (name) => !required.includes(name),
    );
    if (missing !== undefined) return `${path}: "required" must include "${missing}".`;
  }
  return inner(schema)
    .map(([where, each]) => refuseStrictSchema(each, `${path}.${where}`))
    .find((problem) => problem !== undefined);
}

function inner(schema: { [key: string]: Json }): [string, Json][] {
  const { properties, $defs, items, anyOf } = schema;
  return [
    ...Object.entries(isJsonObject(properties) ? properties : {}),
    ...Object.entries(isJsonObject($defs) ? $defs : {}),
    ...(items === undefined ? [] : ([['items', items]] as [string, Json][])),
    ...(Array.isArray(anyOf) ? anyOf.map((each, at): [string, Json] => [`anyOf.${at}`, each]) : []),
  ];
}
