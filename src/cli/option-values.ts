import { InvalidArgumentError } from 'commander';

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
