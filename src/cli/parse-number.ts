import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for anything but a number of 0 or more */
export function parseNonNegativeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('A number of 0 or more is wanted.');
}
