import type { Document, LineCounter } from 'yaml';
import { CommandFailed } from '../../command-failed';
import { EXIT } from '../../exit-codes';

interface Fault {
  path: string;
  message: string;
}

/** Finds the places of faults in a file of YAML. */
export class Places {
  constructor(
    private readonly file: string,
    private readonly lines: LineCounter,
  ) {}

  /** The failure that names all faults with file, line and column. */
  failure(document: Document, errors: readonly Fault[], remedy = 'Correct the file.'): CommandFailed {
    const faults = errors.map(({ path, message }) => {
      const place = this.at(offsetOf(document, path.split('.'), message));
      return `${place}: ${path && `${path}: `}${message.replace(/\.$/, '')}.`;
    });
    return invalidFile(faults.join('\n'), remedy, { errors });
  }

  at(offset: number): string {
    const { line, col } = this.lines.linePos(offset);
    return `${this.file}:${line}:${col}`;
  }
}

export const invalidFile = (what: string, remedy = 'Correct the file.', others = {}) =>
  new CommandFailed(EXIT.config, what, remedy, 'file_invalid', others);

interface Node {
  range?: [number, number, number];
  items?: { key?: { value: unknown; range?: Node['range'] } }[];
}

/** Of a name that is not accepted, its own place; otherwise that of the innermost value on the path. */
function offsetOf(document: Document, path: readonly string[], message: string): number {
  let node = document.contents as Node | null;
  for (let length = 1; length <= path.length; length += 1) {
    const inner = document.getIn(path.slice(0, length), true) as Node | undefined;
    if (inner?.range === undefined) break;
    node = inner;
  }
  const [, unknown] = /^Unknown: "([^"]*)"/.exec(message) ?? [];
  const pair = node?.items?.find(({ key }) => unknown !== undefined && key?.value === unknown);
  return (pair?.key ?? node)?.range?.[0] ?? 0;
}
