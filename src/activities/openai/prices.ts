import { isJsonObject, parseJson } from '../../shared/json.js';
import { ModelError } from '../../shared/model-port.js';
import { roundUsd, type Usage } from '../../shared/usage.js';

/** US dollars for a million tokens. */
export type Price = {
  input: number;
  output: number;
  /** Of input that the provider had in its cache; default: as other input. */
  cachedInput?: number;
};

/** By the name of a model. */
export type Prices = Readonly<Record<string, Price>>;

const A_MILLION = 1_000_000;
const VARIABLE = 'HOLDFAST_PRICES';

/** What the call cost, by the first of the names that has a price. Reasoning is part of the output. */
export function priced(usage: Usage, prices: Prices, names: readonly (string | undefined)[]): Usage {
  const price = names
    .map((name) => (name !== undefined && hasPrice(prices, name) ? prices[name] : undefined))
    .find((each) => each);
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, output, cachedInput = input } = price;
  const sum = (inputTokens - cached) * input + cached * cachedInput + outputTokens * output;
  return { ...usage, costUsd: roundUsd(sum / A_MILLION) };
}

export function hasPrice(prices: Prices, name: string): boolean {
  return Object.hasOwn(prices, name);
}

/** What is wrong with a price table, or undefined. */
export function priceProblem(prices: unknown): string | undefined {
  if (!isJsonObject(prices)) return 'expected an object of prices by model name';
  const bad = Object.entries(prices).find(([, price]) => !isPrice(price));
  return (
    bad &&
    `${JSON.stringify(bad[0])} needs { input, output } and may have cachedInput, each in US dollars for a million tokens`
  );
}

/** Throws `Model.Misconfigured` for a variable that holds no price table. */
export function pricesOfEnvironment(): Prices {
  const text = process.env[VARIABLE]?.trim();
  if (!text) return {};
  const parsed = parseJson(text);
  const problem = parsed.ok ? priceProblem(parsed.value) : parsed.problem;
  if (!parsed.ok || problem !== undefined) {
    throw new ModelError('Model.Misconfigured', `${VARIABLE} is no price table: ${problem}.`, {
      retryable: false,
    });
  }
  return parsed.value as Prices;
}

function isPrice(price: unknown): boolean {
  if (!isJsonObject(price)) return false;
  const isKnown = Object.keys(price).every((name) => ['input', 'output', 'cachedInput'].includes(name));
  const { input, output, cachedInput = 0 } = price;
  return isKnown && [input, output, cachedInput].every((each) => Number.isFinite(each) && Number(each) >= 0);
}
