import { isJsonObject, type Json } from '../shared/json.js';

const UNKNOWN_WORDS = [
  ...[
    'default',
    'propertyNames',
    'patternProperties',
    'prefixItems',
    'dependentRequired',
    'dependentSchemas',
  ],
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else'],
];
const MAX_LEVELS = 10;

/**
 * Why OpenAI's strict mode would refuse this schema, or undefined: every object closed, all of its properties
 * required, each with a type of its own, ten levels at most.
 */
export function refuseStrictSchema(schema: Json | undefined, path = '(root)', level = 1): string | undefined {
  if (!isJsonObject(schema)) return `${path}: a schema must be an object.`;
  if (path === '(root)' && schema['type'] !== 'object') return `${path}: type must be "object".`;
  const unknown = UNKNOWN_WORDS.find((word) => word in schema);
  if (unknown !== undefined) return `${path}: "${unknown}" is not permitted.`;
  if ('$ref' in schema && Object.keys(schema).length > 1)
    return `${path}: "$ref" can't have other keywords beside it.`;
  const known = ['type', 'anyOf', '$ref', 'enum', 'const'].some((word) => word in schema);
  if (!known) return `${path}: schema must have a "type" key.`;
  const properties = schema['properties'];
  if (schema['type'] === 'object' || isJsonObject(properties)) {
    if (level > MAX_LEVELS) return `${path}: ${level} levels of nesting exceed the limit of ${MAX_LEVELS}.`;
    if (schema['additionalProperties'] !== false) return `${path}: "additionalProperties" must be false.`;
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const missing = Object.keys(isJsonObject(properties) ? properties : {}).find(
      (name) => !required.includes(name),
    );
    if (missing !== undefined) return `${path}: "required" must include "${missing}".`;
  }
  return inner(schema)
    .map(([where, each]) =>
      refuseStrictSchema(each, `${path}.${where}`, level + Number(isProperty(schema, where))),
    )
    .find((problem) => problem !== undefined);
}

function isProperty({ properties }: { [key: string]: Json }, name: string): boolean {
  return isJsonObject(properties) && name in properties;
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
