import { UNREADABLE_TYPE } from '../../contract/constants';
import { eventSummary, type EventSummary, type ExportFormat } from '../../contract/event';
import { bodyText, withoutMark } from '../ground/parse-body';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** How a format writes events: `head`, the events with `separator` in between, `tail`. */
interface Format {
  contentType: string;
  head: string;
  separator: string;
  tail: string;
  /** @param body null if it is masked as a whole, or was erased */
  write: (event: EventSummary, body: Uint8Array | null) => Uint8Array[];
}

/** In the order of the list. */
const { targets: _, ...CELLS } = eventSummary.shape;
const CSV_COLUMNS = Object.keys(CELLS) as (keyof typeof CELLS)[];
export const CSV_BREAK = '\r\n';
/** Without it, spreadsheets do not read a file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';
/** Spreadsheets continue longer texts in the next row. */
const MAX_CELL_CHARACTERS = 32_767;

export const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  ndjson: {
    contentType: 'application/x-ndjson',
    head: '',
    separator: '',
    tail: '',
    write: (event, body) => [...toJson(event, body), Buffer.from('\n')],
  },
  json: { contentType: 'application/json', head: '[\n', separator: ',\n', tail: '\n]\n', write: toJson },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: `${BYTE_ORDER_MARK}${[...CSV_COLUMNS, 'body', 'body_base64'].join(',')}${CSV_BREAK}`,
    separator: '',
    tail: '',
    write: toCsv,
  },
};

/**
 * The JSON of a readable event is copied verbatim, so that no number changes; a byte order mark is left out, and line
 * breaks, which occur only between tokens, are replaced. Bodies that may not be JSON are encoded in base64.
 */
function toJson(event: EventSummary, body: Uint8Array | null): Uint8Array[] {
  const head = JSON.stringify(event).slice(0, -1);
  if (body === null) return [Buffer.from(`${head},"body":null,"body_base64":null}`)];
  return event.type === UNREADABLE_TYPE
    ? [Buffer.from(`${head},"body":null,"body_base64":"${toBase64(body)}"}`)]
    : [Buffer.from(`${head},"body":`), withoutLineBreaks(body), Buffer.from(`,"body_base64":null}`)];
}

/** RFC 4180. The body is in one of the last two cells, as in JSON. */
function toCsv(event: EventSummary, body: Uint8Array | null): Uint8Array[] {
  const fields = CSV_COLUMNS.map((column) => String(event[column] ?? ''));
  const bodies =
    body === null
      ? ['', '']
      : event.type === UNREADABLE_TYPE
        ? ['', toBase64(body)]
        : [bodyText(withoutLineBreaks(body)), ''];
  const whole = `/events/${event.id}/body`;
  return [Buffer.from([...fields, ...bodies].map((text) => toCell(text, whole)).join(',') + CSV_BREAK)];
}

/**
 * A spreadsheet would run a text that looks like a formula; an apostrophe before it makes it a text.
 * @param whole where a text that is too long can be read
 */
export function toCell(text: string, whole: string): string {
  if (text.length > MAX_CELL_CHARACTERS) return `too long for a cell: GET /api/v1${whole}`;
  const safe = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

export function withoutLineBreaks(body: Uint8Array): Uint8Array {
  const json = withoutMark(body);
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
