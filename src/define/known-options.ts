/** The names of all options of a type: the compiler says which one is missing. */
export function namesOf<Options extends object>(names: Record<keyof Required<Options>, true>): string[] {
  return Object.keys(names);
}

/** Throws a TypeError that names the place and what there is: a misspelt option would say nothing. */
export function requireKnown(what: string, given: unknown, names: readonly string[], example: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`${what}: expected an object, as in ${example}.`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${what}: there is no "${unknown}"; there are ${names.join(', ')}.`);
}

/** Throws a TypeError that names the place where it is none of them. */
export function requireOneOf(what: string, given: unknown, values: readonly unknown[]): void {
  if (values.includes(given)) return;
  const list = values.map((value) => JSON.stringify(value)).join(' or ');
  throw new TypeError(`${what}: ${shown(given)} is not ${list}.`);
}

/** Throws a TypeError where it is neither the name of a model nor one that can be called. */
export function requireModel(what: string, given: unknown): void {
  if (typeof given === 'string' && given.trim() !== '') return;
  if (typeof given === 'object' && given !== null && 'call' in given) return;
  throw new TypeError(`${what}: ${shown(given)} is no model. Give its name, or one made by openai(...).`);
}

function shown(given: unknown): string {
  return (JSON.stringify(given) ?? String(given)).slice(0, 60);
}
