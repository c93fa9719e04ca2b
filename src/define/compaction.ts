import { type Duration, durationMs } from '../shared/duration.js';
import type { Model } from '../shared/model-port.js';
import { namesOf, requireKnown, requireModel } from './known-options.js';

/** How an agent's transcripts are kept within its model's context window. */
export type CompactionOptions = {
  /** The share of the window at which a transcript is compacted, 0.8 by default. */
  at?: number;
  /** The share that it may take afterwards; half of `at` by default. */
  to?: number;
  /**
   * The model's context window in tokens, or that of several models by their names. Default: that of models that Holdfast
   * knows. Where it is not known a transcript is compacted when the provider says that it is too long.
   */
  window?: number | Readonly<Record<string, number>>;
  /** What writes the summaries: a name, or a model made by `openai(...)`. Default: the turn's own model. */
  model?: string | Model;
  /** How long one try of a compaction may take. Default 5 minutes. */
  timeout?: Duration;
};

/** An agent's, checked. */
export type Compaction = {
  readonly automatic: boolean;
  readonly at: number;
  readonly to: number;
  readonly window?: number | Readonly<Record<string, number>>;
  readonly model?: string | Model;
  readonly timeoutMs: number;
};

const OPTIONS = namesOf<CompactionOptions>({
  at: true,
  to: true,
  window: true,
  model: true,
  timeout: true,
});
const AT = 0.8;
const TIMEOUT_MS = 300_000;

/** `false`: only where somebody asks for it. Throws a TypeError or a RangeError that names the fault. */
export function compactionOf(what: string, options: CompactionOptions | false | undefined): Compaction {
  const name = `${what}, compaction`;
  if (options !== undefined && options !== false)
    requireKnown(name, options, OPTIONS, '{ at: 0.8 }, or false');
  const { at = AT, to = at / 2, window, model, timeout } = options || {};
  requireShare(`${name}.at`, at);
  requireShare(`${name}.to`, to);
  if (to >= at) throw new RangeError(`${name}.to: ${to} leaves no room; it has to be less than at, ${at}.`);
  for (const each of typeof window === 'object' ? Object.values(window) : [window])
    if (each !== undefined && !(Number.isInteger(each) && each > 0))
      throw new RangeError(`${name}.window: ${JSON.stringify(each)} is not a whole number of tokens from 1.`);
  if (model !== undefined) requireModel(`${name}.model`, model);
  return {
    automatic: options !== false,
    at,
    to,
    ...(window !== undefined && { window }),
    ...(model !== undefined && { model }),
    timeoutMs: timeout === undefined ? TIMEOUT_MS : durationMs(`${name}.timeout`, timeout),
  };
}

function requireShare(what: string, share: number): void {
  if (typeof share === 'number' && share > 0 && share <= 1) return;
  throw new RangeError(
    `${what}: ${JSON.stringify(share)} is not a share of the window, above 0 and up to 1.`,
  );
}
