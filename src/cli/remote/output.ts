import { styleText } from 'node:util';
import { jsonLine, oneLine } from '../printable';

const GAP = '  ';
const MIN_WIDTH = 8;

type Style = Parameters<typeof styleText>[0];

/** Writes to standard output, as fast as its reader takes it. If that has closed it, the program ends. */
export const write = (text: string | Uint8Array): Promise<void> =>
  new Promise((done) => {
    process.stdout.write(text, (error) => {
      if (error === undefined || error === null) done();
      // Any other error ends the program with 1 (main.ts).
      else if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
    });
  });

export const writeLine = (text: string): Promise<void> => write(`${text}\n`);

export const writeJson = (value: unknown): Promise<void> => writeLine(jsonLine(value));

/** A remark, which is no data. */
export const note = (text: string): boolean => process.stderr.write(`${oneLine(text)}\n`);

/** Colours a text if the stream is a terminal that shows colours, and nobody asked for none. */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

export interface Column<Row> {
  head: string;
  text: (row: Row) => string;
  style?: (row: Row) => Style | undefined;
  /** Whether it is cut where the terminal is too narrow. */
  isFlexible?: true;
}

/** Prints rows below their headings, without borders; the texts are made safe to print. */
export async function writeTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Promise<void> {
  const { default: Table } = await import('cli-table3');
  const cells = rows.map((row) => columns.map(({ text }) => oneLine(text(row))));
  const table = new Table({
    chars: { ...NO_BORDERS, middle: GAP },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: widthsOf(columns, cells),
  });
  const painted = cells.map((line, i) =>
    line.map((text, column) => {
      const style = columns[column]!.style?.(rows[i]!);
      return style === undefined ? text : paint(style, text);
    }),
  );
  table.push(
    columns.map(({ head }) => paint('dim', head)),
    ...painted,
  );
  await writeLine(table.toString().replaceAll(/ +$/gm, ''));
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', '', 'mid'].flatMap((edge) =>
    ['', 'mid', 'left', 'right'].map((end) => [[edge, end].filter(Boolean).join('-'), '']),
  ),
);

/** Fixed only for the flexible column, and only if the lines would be longer than the terminal is wide. */
function widthsOf<Row>(columns: readonly Column<Row>[], cells: readonly string[][]): (number | null)[] {
  const natural = columns.map(({ head }, i) =>
    Math.max(head.length, ...cells.map((line) => line[i]!.length)),
  );
  const total = natural.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1));
  const missing = total - (process.stdout.isTTY ? process.stdout.columns : Infinity);
  return columns.map(({ isFlexible }, i) =>
    isFlexible && missing > 0 ? Math.max(MIN_WIDTH, natural[i]! - missing) : null,
  );
}
