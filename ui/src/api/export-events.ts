import type { EXPORT_ESTIMATED, EXPORT_TOTAL } from '../../../src/contract/event';
import { ApiError } from './api-error';
import type { EventSearch } from './events';
import { open } from './request';

const TOTAL: typeof EXPORT_TOTAL = 'switchboard-export-total';
const ESTIMATED: typeof EXPORT_ESTIMATED = 'switchboard-export-estimated';
const LINE_FEED = 10;
/** What has come is handed to the browser in pieces of this size, which it may keep on its disk. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** How far an export has come. */
export interface ExportProgress {
  events: number;
  total: number;
  /** Whether the total is a guess. */
  estimated: boolean;
  bytes: number;
}

/** Reads all events that match, one line of JSON each. */
export async function exportEvents(
  filter: EventSearch,
  signal: AbortSignal,
  tell: (progress: ExportProgress) => void,
): Promise<Blob> {
  const answer = await open('/events/export', { ...filter }, signal);
  const total = Number(answer.headers.get(TOTAL));
  const estimated = answer.headers.get(ESTIMATED) === 'true';
  const pieces: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let [events, bytes, waiting] = [0, 0, 0];
  const reader = answer.body?.getReader();
  for (;;) {
    const part = await reader?.read().catch(() => {
      throw ApiError.silent();
    });
    if (part?.value === undefined) break;
    parts.push(part.value);
    waiting += part.value.length;
    bytes += part.value.length;
    for (const byte of part.value) if (byte === LINE_FEED) events += 1;
    if (waiting >= PIECE_BYTES) {
      pieces.push(new Blob(parts));
      [parts, waiting] = [[], 0];
    }
    tell({ events, total, estimated, bytes });
  }
  return new Blob([...pieces, ...parts], { type: 'application/x-ndjson' });
}
