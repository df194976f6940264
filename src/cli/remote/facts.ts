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
