import type { Json } from '../../shared/json.js';
import type { Usage } from '../../shared/usage.js';

/** The counts that the provider told; undefined where it told none. */
export function countsOf(
  counts: Record<Exclude<keyof Usage, 'costUsd'>, Json | undefined>,
): Usage | undefined {
  const told = Object.entries(counts).filter(([, count]) => Number.isFinite(count));
  return told.length === 0 ? undefined : (Object.fromEntries(told) as Usage);
}
