type Unit = 'millisecond' | 'second' | 'minute' | 'hour' | 'day';

/** Milliseconds, or a text such as `'2 minutes'`. */
export type Duration = number | `${number} ${Unit | `${Unit}s`}`;

const unitMs: Record<Unit, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Whole milliseconds. Throws a RangeError that names `what` for anything that is not a positive duration. */
export function durationMs(what: string, duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parse(duration);
  if (!Number.isFinite(ms) || ms <= 0) {
    throw new RangeError(
      `${what}: ${JSON.stringify(duration)} is not a duration. Give milliseconds above 0, or a text like '2 minutes'.`,
    );
  }
  return Math.ceil(ms);
}

function parse(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) (millisecond|second|minute|hour|day)s?$/.exec(text) ?? [];
  return Number(amount) * (unitMs[unit as Unit] ?? Number.NaN);
}
