type Numbers = {
  maxConcurrent?: number;
  tokensPerMinute?: number;
  firstTokenTimeoutMs?: number;
  idleTimeoutMs?: number;
  maxReplyBytes?: number;
};

const NAMES = [
  'maxConcurrent',
  'tokensPerMinute',
  'firstTokenTimeoutMs',
  'idleTimeoutMs',
  'maxReplyBytes',
] as const;

/** Throws a TypeError that names the option, as `of` calls it: else a NaN would let nothing through, or all. */
export function checkNumbers(of: string, numbers: Numbers): void {
  for (const name of NAMES) {
    const value: unknown = numbers[name];
    if (value === undefined || (typeof value === 'number' && value >= 1)) continue;
    const shown = typeof value === 'number' ? String(value) : `a ${value === null ? 'null' : typeof value}`;
    throw new TypeError(
      `${of}({ ${name} }): expected a number of at least 1, got ${shown}. Leave it out for the default.`,
    );
  }
}
