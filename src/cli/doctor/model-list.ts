import { isJsonObject, type Json } from '../../shared/json.js';
import { similarNames } from '../../shared/similar-names.js';
import type { Listed } from './reach.js';

const SHOWN = 5;

/** The names to offer in place of one that is not there: the likest, else the first ones. */
export function offered(wanted: string | undefined, models: readonly Listed[]): string {
  const names = models.map(({ id }) => id);
  const like = wanted === undefined ? [] : similarNames(wanted, names);
  const shown = like.length > 0 ? like : names.slice(0, SHOWN);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** vLLM; OpenRouter; Groq; LM Studio and Mistral; Together and others. */
const FIELDS = [
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
  'max_input_tokens',
];

/** How many tokens the server says that the model takes. llama.cpp says it in `meta`. */
export function contextWindow(entry: Json | undefined): number | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { meta } = entry;
  const told = [
    ...FIELDS.map((field) => entry[field]),
    ...(isJsonObject(meta) ? [meta['n_ctx'], meta['n_ctx_train']] : []),
  ];
  return told.find((value) => typeof value === 'number' && value > 0) as number | undefined;
}
