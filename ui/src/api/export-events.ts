import type { ExportFormat } from '@contract/event';
import { EXPORT_ESTIMATED_HEADER, EXPORT_TOTAL_HEADER } from '@contract/constants';
import { ApiError } from './api-error';
import { toEventQuery, type EventSearch } from './events';
import { open } from './request';

const LINE_FEED = 10;
/** Chunks are collected into blobs of this size, which the browser can store on disk. */
const BLOB_BYTES = 8 * 1024 * 1024;

/** The progress of an export. */
export interface ExportProgress {
  events: number;
  total: number;
  /** Whether the total is an estimate. */
  estimated: boolean;
  bytes: number;
}

/** Lines that are not of an event: the head of a table, the brackets of a list. */
const OTHER_LINES: Readonly<Record<ExportFormat, number>> = { ndjson: 0, csv: 1, json: 2 };

/** Exports all matching events. */
export async function exportEvents(
  filter: EventSearch,
  format: ExportFormat,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  const response = await open('/events/export', { ...toEventQuery(filter, Date.now()), format }, signal);
  const total = Number(response.headers.get(EXPORT_TOTAL_HEADER));
  const estimated = response.headers.get(EXPORT_ESTIMATED_HEADER) === 'true';
  const blobs: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [lines, bytes, buffered] = [0, 0, 0];
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      throw ApiError.noResponse();
    });
    if (chunk?.value === undefined) break;
    chunks.push(chunk.value);
    buffered += chunk.value.length;
    bytes += chunk.value.length;
    for (const byte of chunk.value) if (byte === LINE_FEED) lines += 1;
    if (buffered >= BLOB_BYTES) {
      blobs.push(new Blob(chunks));
      [chunks, buffered] = [[], 0];
    }
    // A text in a table may contain line breaks.
    const events = Math.min(Math.max(0, lines - OTHER_LINES[format]), estimated ? Infinity : total);
    onProgress({ events, total, estimated, bytes });
  }
  return new Blob([...blobs, ...chunks], { type: response.headers.get('content-type') ?? '' });
}
