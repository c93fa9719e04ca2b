import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';

// What OpenAI documents as "supported schemas" of its structured outputs, for tools and for answers alike.
const KEYWORDS = new Set([
  ...['type', 'title', 'description', '$ref', '$defs', 'anyOf', 'enum', 'const'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);
const FORMATS = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '));
const LOOKAROUND_OR_REFERENCE = /\(\?<?[=!]|\\[1-9]|\\k</;
const MAX_PROPERTIES = 5000;
const MAX_LEVELS = 10;
const MAX_NAME_CHARACTERS = 120_000;
const MAX_ENUM_VALUES = 1000;

type Totals = { properties: number; characters: number; enumValues: number };

/**
 * Why a schema can't be sent with `strict: true`, in one line with the path; undefined where it can. Such a schema is
 * never changed to fit, as that would make it say something else than the check does.
 */
export function notStrictBecause(schema: JsonObject): string | undefined {
  if (schema['type'] !== 'object') return 'it is no plain object';
  const totals = { properties: 0, characters: 0, enumValues: 0 };
  return problemOf(schema, '', 1, totals) ?? tooMuch(totals);
}

function tooMuch({ properties, characters, enumValues }: Totals): string | undefined {
  if (properties > MAX_PROPERTIES) return `it has ${properties} fields; strict mode takes ${MAX_PROPERTIES}`;
  if (enumValues > MAX_ENUM_VALUES)
    return `it lists ${enumValues} values; strict mode takes ${MAX_ENUM_VALUES}`;
  if (characters > MAX_NAME_CHARACTERS)
    return `its names and values take ${characters} characters; strict mode takes ${MAX_NAME_CHARACTERS}`;
  return undefined;
}

function problemOf(
  schema: Json | undefined,
  path: string,
  level: number,
  totals: Totals,
): string | undefined {
  const at = path === '' ? 'it' : path;
  if (!isJsonObject(schema)) return `${at} takes anything`;
  const unknown = Object.keys(schema).find((word) => !KEYWORDS.has(word));
  if (unknown !== undefined) return `${at} has "${unknown}", which strict mode does not know`;
  const { $ref, $defs, anyOf, type, pattern, format } = schema;
  if ($ref !== undefined && Object.keys(schema).length > 1)
    return `${at} adds to a schema that is used elsewhere`;
  if (type === undefined && anyOf === undefined && $ref === undefined)
    return `${at} takes values of any type`;
  if (typeof format === 'string' && !FORMATS.has(format))
    return `${at} has the format "${format}", which strict mode does not know`;
  if (typeof pattern === 'string' && LOOKAROUND_OR_REFERENCE.test(pattern))
    return `${at} has a pattern with a lookaround or a back reference`;
  countValues(schema, totals);
  return (
    problemOfObject(schema, path, level, totals) ??
    (type === 'array' ? problemOf(schema['items'], `${path}[]`, level, totals) : undefined) ??
    firstProblem(Array.isArray(anyOf) ? anyOf.entries() : [], (each) =>
      problemOf(each, path, level, totals),
    ) ??
    firstProblem(Object.entries(isJsonObject($defs) ? $defs : {}), (each, name) => {
      totals.characters += String(name).length;
      return problemOf(each, path === '' ? String(name) : `${path}.${name}`, level, totals);
    })
  );
}

function problemOfObject(
  schema: JsonObject,
  path: string,
  level: number,
  totals: Totals,
): string | undefined {
  const { properties, required, additionalProperties, type } = schema;
  if (type !== 'object') return undefined;
  if (level > MAX_LEVELS) return `${path} is nested more than ${MAX_LEVELS} levels deep`;
  if (additionalProperties !== false) return `${path === '' ? 'it' : path} takes fields of any name`;
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  totals.properties += fields.length;
  return firstProblem(
    fields.map(([name, field]) => [name, field] as const),
    (field, name) => {
      totals.characters += String(name).length;
      const at = path === '' ? String(name) : `${path}.${name}`;
      if (!Array.isArray(required) || !required.includes(name)) return `${at} may be left out`;
      return problemOf(field, at, level + 1, totals);
    },
  );
}

function countValues({ enum: values, const: value }: JsonObject, totals: Totals): void {
  const all = [...(Array.isArray(values) ? values : []), ...(value === undefined ? [] : [value])];
  totals.enumValues += Array.isArray(values) ? values.length : 0;
  for (const each of all) totals.characters += typeof each === 'string' ? each.length : 0;
}

function firstProblem<Name>(
  entries: Iterable<readonly [Name, Json]>,
  problem: (value: Json, name: Name) => string | undefined,
): string | undefined {
  for (const [name, value] of entries) {
    const found = problem(value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
