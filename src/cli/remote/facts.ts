import { oneLine } from '../printable';
import { paint } from './output';

const MIN_NAME_WIDTH = 14;

/** Prints names with their values, one a line. Without a value, a line is left out. */
export function writeFacts(
  facts: readonly (readonly [name: string, value: string | number | null | undefined])[],
  stream: NodeJS.WriteStream = process.stdout,
): void {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(MIN_NAME_WIDTH, ...shown.map(([name]) => name.length + 2));
  for (const [name, value] of shown)
    stream.write(`${paint('dim', name.padEnd(width), stream)}${oneLine(String(value))}\n`);
}

/** The same for an object of the API, whose nested fields are named by their paths. */
export const writeObject = (object: object): void => writeFacts(factsOf(object, ''));

const factsOf = (object: object, prefix: string): [name: string, value: string][] =>
  Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`;
    if (value === null || value === undefined) return [];
    if (Array.isArray(value)) return [[path, value.map(textOf).join(', ')]];
    // The names in a filter are paths themselves.
    const isNested = typeof value === 'object' && Object.keys(value).every((one) => /^\w+$/.test(one));
    return isNested ? factsOf(value, `${path}.`) : [[path, textOf(value)]];
  });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
