import { InvalidArgumentError } from 'commander';

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

export function wholeNumberFromZero(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}

export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a port, 65535 at most.');
  return port;
}

export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}
