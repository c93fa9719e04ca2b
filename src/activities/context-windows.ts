/**
 * How many tokens a request may take, of models that many use, by the beginning of their names. Providers tell it on their
 * pages (seen in November 2026). One that is not here is not known: a figure that is too small would cost more than it gains.
 */
const WINDOWS: readonly (readonly [name: string, tokens: number])[] = [
  ['gpt-5.5', 922_000],
  ['gpt-5.4', 922_000],
  ['gpt-5.2', 272_000],
  ['gpt-5.1', 272_000],
  ['gpt-5', 272_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
  ['claude', 200_000],
  ['gemini-2.5', 1_048_576],
];

/** Of a model as a provider or a gateway names it (`openai/gpt-5.5-2026-04-23`); undefined where it is not known. */
export function knownWindow(model: string): number | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const isOf = (prefix: string) =>
    name === prefix || name.startsWith(`${prefix}-`) || name.startsWith(`${prefix}:`);
  return WINDOWS.find(([prefix]) => isOf(prefix))?.[1];
}
