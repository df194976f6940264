import { EXPORT_ESTIMATED_HEADER, EXPORT_TOTAL_HEADER } from '@contract/constants';
import { ApiError } from './api-error';
import type { EventSearch } from './events';
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

/** Exports all matching events as NDJSON. */
export async function exportEvents(
  filter: EventSearch,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  const response = await open('/events/export', { ...filter }, signal);
  const total = Number(response.headers.get(EXPORT_TOTAL_HEADER));
  const estimated = response.headers.get(EXPORT_ESTIMATED_HEADER) === 'true';
  const blobs: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [events, bytes, buffered] = [0, 0, 0];
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      throw ApiError.noResponse();
    });
    if (chunk?.value === undefined) break;
    chunks.push(chunk.value);
    buffered += chunk.value.length;
    bytes += chunk.value.length;
    for (const byte of chunk.value) if (byte === LINE_FEED) events += 1;
    if (buffered >= BLOB_BYTES) {
      blobs.push(new Blob(chunks));
      [chunks, buffered] = [[], 0];
    }
    onProgress({ events, total, estimated, bytes });
  }
  return new Blob([...blobs, ...chunks], { type: 'application/x-ndjson' });
}
