import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';

type Type = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];

export type Filled = {
  /** The value, with the defaults of what is missing in it; nothing else of it is changed. */
  value: Json;
  /** What the schema does not know, and zod would drop: a line each. */
  unknown: string[];
};

/**
 * Fills a schema's defaults into JSON, at every depth, so that one that is made anew each time is made once. A default
 * stays out where JSON can't say it, or where the schema would make something else of it when it reads it again, as
 * with `z.string().transform(...).default(...)`, whose default is what the transform gives.
 */
export async function fillDefaults(type: Type, value: Json): Promise<Filled> {
  const walk = new Walk();
  return { value: (await walk.fill(type, value, '', false)) ?? value, unknown: walk.unknown };
}

class Walk {
  readonly unknown: string[] = [];

  /** `isOpen`: that fields are unknown has been judged already. */
  async fill(type: Type, value: Json | undefined, path: string, isOpen: boolean): Promise<Json | undefined> {
    const def = defOf(type);
    switch (def.type) {
      case 'default':
        if (value !== undefined) return await this.fill(def.innerType, value, path, isOpen);
        return await readTheSame(def.innerType, asJson(def.defaultValue));
      case 'prefault':
        return await this.fill(def.innerType, value ?? asJson(def.defaultValue), path, isOpen);
      case 'nullable':
        return value === null ? null : await this.fill(def.innerType, value, path, isOpen);
      case 'optional':
      case 'nonoptional':
      case 'readonly':
      case 'catch':
        return await this.fill(def.innerType, value, path, isOpen);
      case 'lazy':
        return value === undefined ? value : await this.fill(def.getter(), value, path, isOpen);
      case 'pipe':
        return await this.fill(def.in, value, path, isOpen);
      case 'object':
        return isJsonObject(value) ? await this.#object(def, value, path, isOpen) : value;
      case 'record':
        return isJsonObject(value)
          ? await this.#fields(value, path, (each, at) => this.fill(def.valueType, each, at, false))
          : value;
      case 'array':
        return Array.isArray(value)
          ? await this.#items(value, path, (each, at) => this.fill(def.element, each, at, false))
          : value;
      case 'tuple':
        return Array.isArray(value) ? await this.#tuple(def, value, path) : value;
      case 'union': {
        const form = await formOf(def.options, value);
        return form ? await this.fill(form, value, path, isOpen) : value;
      }
      case 'intersection':
        return await this.#intersection(def, value, path, isOpen);
      default:
        return value;
    }
  }

  async #object(
    def: z.core.$ZodObjectDef,
    value: JsonObject,
    path: string,
    isOpen: boolean,
  ): Promise<JsonObject> {
    const { shape, catchall } = def;
    const names = Object.keys(shape);
    if (!isOpen && !catchall) this.#judge(value, names, path);
    const filled = await this.#fields(value, path, (each, at, name) => {
      const type = Object.hasOwn(shape, name) ? shape[name] : catchall;
      return type ? this.fill(type, each, at, false) : each;
    });
    const added: [string, Json][] = [];
    for (const name of names) {
      const type = shape[name];
      if (Object.hasOwn(value, name) || !type) continue;
      const made = await this.fill(type, undefined, inner(path, name), false);
      if (made !== undefined) added.push([name, made]);
    }
    return added.length === 0 ? filled : Object.fromEntries([...Object.entries(filled), ...added]);
  }

  #judge(value: JsonObject, names: readonly string[], path: string): void {
    for (const name of Object.keys(value)) {
      if (names.includes(name)) continue;
      const takes = names.join(', ') || 'none';
      this.unknown.push(`${inner(path, name)}: unknown argument; it takes: ${takes}`);
    }
  }

  async #tuple({ items, rest }: z.core.$ZodTupleDef, value: Json[], path: string): Promise<Json[]> {
    const filled = await this.#items(value, path, (each, at, index) => {
      const type = items[index] ?? rest;
      return type ? this.fill(type, each, at, false) : each;
    });
    for (const type of items.slice(value.length)) {
      const made = await this.fill(type, undefined, inner(path, filled.length), false);
      if (made === undefined) break;
      filled.push(made);
    }
    return filled;
  }

  async #intersection(
    { left, right }: z.core.$ZodIntersectionDef,
    value: Json | undefined,
    path: string,
    isOpen: boolean,
  ): Promise<Json | undefined> {
    const [one, other] = [closedNames(left), closedNames(right)];
    if (!isOpen && one && other && isJsonObject(value)) this.#judge(value, [...one, ...other], path);
    return await this.fill(right, await this.fill(left, value, path, true), path, true);
  }

  async #fields(
    value: JsonObject,
    path: string,
    fill: (value: Json, path: string, name: string) => Promise<Json | undefined> | Json,
  ): Promise<JsonObject> {
    const filled: [string, Json][] = [];
    for (const [name, each] of Object.entries(value)) {
      filled.push([name, (await fill(each, inner(path, name), name)) ?? each]);
    }
    return Object.fromEntries(filled);
  }

  async #items(
    value: Json[],
    path: string,
    fill: (value: Json, path: string, index: number) => Promise<Json | undefined> | Json,
  ): Promise<Json[]> {
    const filled: Json[] = [];
    for (const [index, each] of value.entries()) {
      filled.push((await fill(each, inner(path, index), index)) ?? each);
    }
    return filled;
  }
}

function defOf(type: Type): Def {
  return (type as z.core.$ZodTypes)._zod.def;
}

function inner(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

/** The fields of an object that has no others, or undefined. */
function closedNames(type: Type): string[] | undefined {
  const def = defOf(type);
  if (def.type === 'object') return def.catchall ? undefined : Object.keys(def.shape);
  if (def.type !== 'intersection') return undefined;
  const [left, right] = [closedNames(def.left), closedNames(def.right)];
  return left && right && [...left, ...right];
}

/** The first form that the value fits, as zod takes it; undefined, too, where none has anything to fill or to judge. */
async function formOf(options: readonly Type[], value: Json | undefined): Promise<Type | undefined> {
  if (!options.some((option) => isConcerned(option))) return undefined;
  for (const option of options) {
    const parsed = await (option as z.ZodType).safeParseAsync(value);
    if (parsed.success) return option;
  }
  return undefined;
}

function isConcerned(type: Type, seen = new Set<Type>()): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  const def = defOf(type);
  const among = (...types: (Type | null | undefined)[]) =>
    types.some((each) => each && isConcerned(each, seen));
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'object':
      return true;
    case 'lazy':
      return among(def.getter());
    case 'array':
      return among(def.element);
    case 'record':
      return among(def.valueType);
    case 'tuple':
      return among(...def.items, def.rest);
    case 'union':
      return among(...def.options);
    case 'intersection':
      return among(def.left, def.right);
    case 'pipe':
      return among(def.in);
    default:
      return 'innerType' in def && among(def.innerType);
  }
}

/** Undefined for what JSON can't say. */
function asJson(value: unknown): Json | undefined {
  try {
    const json = JSON.parse(JSON.stringify(value)) as Json;
    return isDeepStrictEqual(json, value) ? json : undefined;
  } catch {
    return undefined;
  }
}

async function readTheSame(type: Type, value: Json | undefined): Promise<Json | undefined> {
  if (value === undefined) return undefined;
  const read = await (type as z.ZodType).safeParseAsync(value);
  return read.success && isDeepStrictEqual(read.data, value) ? value : undefined;
}
