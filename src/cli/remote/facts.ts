import { oneLine } from '../printable';
import { paint } from './output';

const NAME_WIDTH = 14;

/** Prints names with their values, one a line. Without a value, a line is left out. */
export function writeFacts(
  facts: readonly (readonly [name: string, value: string | number | null | undefined])[],
  stream: NodeJS.WriteStream = process.stdout,
): void {
  for (const [name, value] of facts)
    if (value !== null && value !== undefined && value !== '')
      stream.write(`${paint('dim', name.padEnd(NAME_WIDTH), stream)}${oneLine(String(value))}\n`);
}
