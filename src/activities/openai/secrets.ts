import type { Access } from './openai-client.js';

/** Enough for the keys of a worker's models, and for some turns of those that change. */
const MAX_KEPT = 200;
const kept = new Set<string>();

/** By whole words: `x-portkey-provider` is none. */
const SECRET_HEADER =
  /(?:^|[-_])(?:auth\w*|(?:api)?key|token|secret|cookie|passw\w*|credentials?)(?:$|[-_])/i;
const PATTERNS: readonly [RegExp, string][] = [
  [/\bBearer\s+[^\s"',]+/gi, 'Bearer [key]'],
  [/\b(?:sk|rk|pk|gsk|xai|pplx|nvapi)[-_][\w*.-]{6,}|\bAIza[\w*-]{10,}/g, '[key]'],
];

/** From now on no error of this process shows the key and the headers that requests to this endpoint carry. */
export function keepSecret({ apiKey, headers = {} }: Access): void {
  const named = Object.entries(headers).flatMap(([name, value]) => secretsIn(name, value));
  for (const secret of [apiKey, ...named].filter(isSecret)) {
    // The latest is the last to be forgotten.
    kept.delete(secret);
    kept.add(secret);
  }
  for (const oldest of [...kept].slice(0, -MAX_KEPT)) kept.delete(oldest);
}

/** The text without what is kept secret, `key`, escaped or cut as they may be, and whatever else looks like a key. */
export function withoutSecrets(text: string, key = ''): string {
  // One may be a part of another.
  const known = [...new Set([...kept, key].filter(isSecret).flatMap(formsOf))];
  known.sort((one, other) => other.length - one.length);
  const withoutOurs = known.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
  const withoutCut = known.reduce(withoutBeginnings, withoutOurs);
  return PATTERNS.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), withoutCut);
}

/** As it is, in JSON, in JSON within JSON, in an address. */
function formsOf(secret: string): string[] {
  const inJson = escaped(secret);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [
    ...[secret, inJson, escaped(inJson), secret.replaceAll('/', '\\/')],
    ...[inUrl, inUrl.replaceAll('%2F', '/'), inUrl.replace(/%../g, (code) => code.toLowerCase())],
  ];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const MIN_BEGINNING = 8;
/** So long a one is no word by chance. */
const LONG_BEGINNING = 16;
const CUT = /^(?:\.\.|…|\*\*)/;

/** Providers cut a key that they show: `0123456789ab...`. One that may be a word counts where it is seen to be cut. */
function withoutBeginnings(text: string, secret: string): string {
  const head = secret.slice(0, MIN_BEGINNING);
  if (secret.length <= MIN_BEGINNING || /\s/.test(secret)) return text;
  let shown = '';
  let rest = text;
  for (let at = rest.indexOf(head); at !== -1; at = rest.indexOf(head)) {
    let length = MIN_BEGINNING;
    while (length < secret.length && rest[at + length] === secret[length]) length += 1;
    const end = at + length;
    const isOurs =
      length >= LONG_BEGINNING || /\d/.test(secret.slice(0, length)) || CUT.test(rest.slice(end, end + 2));
    shown += isOurs ? `${rest.slice(0, at)}[key]` : rest.slice(0, end);
    rest = rest.slice(end);
  }
  return shown + rest;
}

/** `Bearer abc`: what follows the scheme is secret by itself. Other headers name a provider, a project, an address. */
function secretsIn(name: string, value: string): string[] {
  if (SECRET_HEADER.test(name)) return [value, ...value.split(/[\s;=,]+/)].filter((part) => !isScheme(part));
  return looksRandom(value) ? [value] : [];
}

function isScheme(part: string): boolean {
  return /^(?:bearer|basic|digest|apikey|token)$/i.test(part);
}

function looksRandom(value: string): boolean {
  return /^[\w.+/=-]{20,}$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);
}

/** A shorter one is a placeholder (`ollama`, `EMPTY`), whose letters stand in other words too. */
function isSecret(value: string): boolean {
  return value.length >= 8 || (value.length >= 5 && /\d/.test(value));
}
