import type { Json } from '../../shared/json.js';
import type { Usage } from '../../shared/usage.js';

/** The counts that the provider told, whole numbers; undefined where it told none. */
export function countsOf(
  counts: Record<Exclude<keyof Usage, 'costUsd'>, Json | undefined>,
): Usage | undefined {
  const told = Object.entries(counts).filter(
    ([, count]) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  return told.length === 0 ? undefined : (Object.fromEntries(told) as Usage);
}

/** Of a call that failed: zeros are what some servers send before they have counted. */
export function usageOfFailure(usage: Usage | undefined): Usage | undefined {
  return usage !== undefined && Object.values(usage).some((count) => count !== 0) ? usage : undefined;
}
