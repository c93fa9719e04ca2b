const GPT = 922_000;
const OLDER_GPT = 272_000;
const CHAT_GPT = 128_000;
const CLAUDE = 1_000_000;
const OLDER_CLAUDE = 200_000;
const GEMINI = 1_048_576;

/**
 * How many tokens a request may take, of models that many use, by the beginning of their names; the first that fits counts.
 * From `max_input_tokens` in LiteLLM 1.110.2 (model_prices_and_context_window.json), compared with the pages of
 * developers.openai.com and platform.claude.com on 2026-11-30: gpt-5.4 and gpt-5.5, for which it has the whole window of
 * 1,050,000, take 922,000 beside a reply of 128,000. One that is not here is not known: a figure that is too small would cost
 * more than it gains.
 */
const WINDOWS: readonly (readonly [tokens: number, ...names: string[]])[] = [
  [CHAT_GPT, 'gpt-5-chat', 'gpt-5.1-chat', 'gpt-5.2-chat', 'gpt-5.3-chat', 'gpt-4o'],
  [OLDER_GPT, 'gpt-5.6-cyber', 'gpt-5.4-mini', 'gpt-5.4-nano', 'gpt-5.3', 'gpt-5.2', 'gpt-5.1', 'gpt-5'],
  [GPT, 'gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-astra', 'gpt-6-luna', 'gpt-6-sol'],
  [GPT, 'gpt-5.6', 'gpt-5.5', 'gpt-5.4'],
  [1_047_576, 'gpt-4.1'],
  [200_000, 'o3', 'o4-mini'],
  [CLAUDE, 'claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6'],
  [CLAUDE, 'claude-sonnet-5', 'claude-sonnet-4-6', 'claude-haiku-5-5', 'claude-fable-5', 'claude-mythos-5'],
  [OLDER_CLAUDE, 'claude-opus-4', 'claude-sonnet-4', 'claude-haiku-4', 'claude-3'],
  [GEMINI, 'gemini-4-argon', 'gemini-4-hydrogen', 'gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'],
  [GEMINI, 'gemini-3.5-flash', 'gemini-3.1-pro', 'gemini-3.1-flash-lite', 'gemini-3-flash'],
  [GEMINI, 'gemini-2.5-pro', 'gemini-2.5-flash'],
];

/**
 * Of a model as a provider or a gateway names it (`openai/gpt-5.5-2026-04-23`, `anthropic/claude-opus-4.6`); undefined where
 * it is not known.
 */
export function knownWindow(model: string): number | undefined {
  const given = model.slice(model.lastIndexOf('/') + 1);
  const name = given.startsWith('claude') ? given.replaceAll('.', '-') : given;
  const isOf = (prefix: string) =>
    name === prefix || name.startsWith(`${prefix}-`) || name.startsWith(`${prefix}:`);
  return WINDOWS.find(([, ...names]) => names.some(isOf))?.[0];
}
