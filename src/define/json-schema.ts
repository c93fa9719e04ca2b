import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';

type Io = 'input' | 'output';
type Visit = Parameters<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] & {}>[0];

/** Keywords whose values are no schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples']);
/** In JSON, what a clock does not tell, or hardly ever: the wait is for the others. */
const NO_TIME = /^(?:true|false|null|""|\[\]|\{\}|-?\d{1,2}0*)$/;
/** Enough for the clock to go on. */
const TICK_MS = 2;

const remedies: { [type: string]: string } = {
  date: 'Use z.iso.datetime(), which is a text.',
  bigint: 'Use a text of digits, or z.int().',
  map: 'Use z.record(...).',
  set: 'Use z.array(...).',
  transform: 'Leave it out here, and change the value where it is used.',
};

/**
 * The JSON schema that a model is shown, and that says no more and no less than what is checked. Throws a TypeError that
 * names the place of what can't be said in one (a date, a bigint, a symbol, a function, and in an output a transform),
 * and of what no JSON fits: a file, a field of `z.never()` that must be there.
 */
export function jsonSchema(what: string, type: z.ZodType, io: Io): JsonObject {
  let schema: JsonObject;
  try {
    schema = z.toJSONSchema(type, { io, target: 'draft-2020-12', override: truthful(io) }) as JsonObject;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new TypeError(`${what} has no JSON schema. ${placed(problem, type, io)}`);
  }
  delete schema['$schema'];
  openSides(schema, schema);
  return schema;
}

function truthful(io: Io): (visit: Visit) => void {
  let mayTick = true;
  return ({ zodSchema, jsonSchema, path }) => {
    refuseImpossible(zodSchema, path, jsonSchema.required);
    const { def } = (zodSchema as z.core.$ZodTypes)._zod;
    // In JSON schema it means that the provider sets it.
    delete jsonSchema.readOnly;
    switch (def.type) {
      case 'object':
        // zod drops fields that it doesn't know; a model that invents one is to hear of it instead.
        if (io === 'input' && !def.catchall) jsonSchema.additionalProperties = false;
        break;
      case 'union':
        // No two of its forms fit the same value: then it says the same, and more providers know it.
        if ('discriminator' in def && jsonSchema.oneOf) {
          jsonSchema.anyOf = jsonSchema.oneOf;
          delete jsonSchema.oneOf;
        }
        break;
      case 'default':
      case 'prefault': {
        if (!('default' in jsonSchema)) break;
        const told = JSON.stringify(jsonSchema.default);
        if (mayTick && !NO_TIME.test(told)) {
          tick();
          mayTick = false;
        }
        // One that is made anew each time would be an old one by the time that a model reads it.
        if (JSON.stringify(def.defaultValue) !== told) delete jsonSchema.default;
        break;
      }
    }
  };
}

function refuseImpossible(type: z.core.$ZodType, path: Visit['path'], required: string[] = []): void {
  const { def } = (type as z.core.$ZodTypes)._zod;
  const refuse = (at: string, problem: string) => {
    throw new TypeError(`${at === '' ? '' : `${at}: `}${problem}`);
  };
  if (def.type === 'file') refuse(pathText(path), 'No JSON is a file. Use a text: its path, or its base64.');
  if (def.type === 'never' && path.length === 0) refuse('', 'Nothing fits z.never().');
  if (def.type !== 'object') return;
  const never = required.find((key) => (def.shape[key] as z.core.$ZodTypes)?._zod.def.type === 'never');
  if (never === undefined) return;
  const at = pathText([...path, 'properties', never]);
  refuse(at, 'It must be there, and nothing fits z.never(). Leave it out, or use z.never().optional().');
}

/** A default that is the time of the day differs from then on. */
function tick(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TICK_MS);
}

/** Of what is a list of schemas that must all fit, each would refuse the fields of the others, which zod does not. */
function openSides(node: Json, root: JsonObject): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, inner] of Object.entries(node)) if (!VALUES.has(key)) openSides(inner, root);
  const { allOf } = node as JsonObject;
  for (const side of Array.isArray(allOf) ? allOf : []) {
    const name = isJsonObject(side) && /^#\/\$defs\/([^/]+)$/.exec(String(side['$ref']))?.[1];
    const named = name && isJsonObject(root['$defs']) ? root['$defs'][name] : side;
    if (isJsonObject(named) && named['additionalProperties'] === false) delete named['additionalProperties'];
  }
}

/** The problem with its place before it, and what to write there after it, where these are known. */
function placed(problem: string, type: z.ZodType, io: Io): string {
  let text: string | undefined;
  const override = ({ zodSchema, path }: Visit): void => {
    if (text !== undefined || isRepresentable(zodSchema, io)) return;
    const remedy = remedies[(zodSchema as z.core.$ZodTypes)._zod.def.type];
    const at = path.length === 0 ? '' : `${pathText(path)}: `;
    text = at + problem + (remedy === undefined ? '' : `. ${remedy}`);
  };
  try {
    z.toJSONSchema(type, { io, unrepresentable: 'any', override });
  } catch {
    // Something else is wrong with it, which its message tells.
  }
  return text ?? problem;
}

function isRepresentable(type: z.core.$ZodType, io: Io): boolean {
  try {
    z.toJSONSchema(type, { io });
    return true;
  } catch {
    return false;
  }
}

/** Of a place in a JSON schema, the place in a value. */
function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (let at = 0; at < path.length; at += 1) {
    const word = path[at];
    if (word === 'properties') {
      at += 1;
      text += text === '' ? path[at] : `.${path[at]}`;
    } else if (word === 'items' || word === 'additionalProperties') text += '[]';
  }
  return text;
}
