import type { EXPORT_ESTIMATED, EXPORT_TOTAL } from '../../../src/contract/event';
import { ApiError } from './api-error';
import type { EventSearch } from './events';
import { open } from './request';

const TOTAL_HEADER: typeof EXPORT_TOTAL = 'switchboard-export-total';
const ESTIMATED_HEADER: typeof EXPORT_ESTIMATED = 'switchboard-export-estimated';
const LINE_FEED = 10;
/** Chunks are collected into blobs of this size, which the browser may keep on disk. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** The progress of an export. */
export interface ExportProgress {
  events: number;
  total: number;
  /** Whether the total is an estimate. */
  estimated: boolean;
  bytes: number;
}

/** Reads all events that match, one line of JSON each. */
export async function exportEvents(
  filter: EventSearch,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  const response = await open('/events/export', { ...filter }, signal);
  const total = Number(response.headers.get(TOTAL_HEADER));
  const estimated = response.headers.get(ESTIMATED_HEADER) === 'true';
  const pieces: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let [events, bytes, buffered] = [0, 0, 0];
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read().catch(() => {
      throw ApiError.noResponse();
    });
    if (part?.value === undefined) break;
    parts.push(part.value);
    buffered += part.value.length;
    bytes += part.value.length;
    for (const byte of part.value) if (byte === LINE_FEED) events += 1;
    if (buffered >= PIECE_BYTES) {
      pieces.push(new Blob(parts));
      [parts, buffered] = [[], 0];
    }
    onProgress({ events, total, estimated, bytes });
  }
  return new Blob([...pieces, ...parts], { type: 'application/x-ndjson' });
}
