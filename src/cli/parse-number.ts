import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError unless the text is a number of at least 0 */
export function parseNonNegativeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('Must be a number of at least 0.');
}
