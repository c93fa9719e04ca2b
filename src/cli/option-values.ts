import { InvalidArgumentError } from 'commander';
import { type Duration, durationMs } from '../shared/duration.js';

export function wholeNumber(text: string): number {
  return numberFrom(1, text);
}

export function wholeNumberFromZero(text: string): number {
  return numberFrom(0, text);
}

function numberFrom(least: number, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
}

export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a port, 65535 at most.');
  return port;
}

export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function amount(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

export function durationText(text: string): Duration {
  try {
    durationMs('', text as Duration);
    return text as Duration;
  } catch {
    throw new InvalidArgumentError("It must be a duration, such as '10 minutes'.");
  }
}
