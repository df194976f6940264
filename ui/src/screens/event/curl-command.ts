import type { EventDetail } from '@contract/event';
import { quote } from '../../format/quote';
import type { Payload } from '../../payload/payload';

/** Headers of the original connection, or set by curl itself. */
const OMITTED_HEADERS = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'accept-encoding',
  'expect',
]);

/** A bash command that sends the original bytes and signature to an address. */
export function curlCommand(event: EventDetail, payload: Payload, url: string): string {
  const headers = event.headers
    .filter(([name]) => !OMITTED_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  // Binary payloads and NUL cannot be part of a command; they are read from the downloaded file.
  const isFile = payload.kind === 'bytes' || payload.text.includes('\0');
  const body = isFile ? `@${event.id}.json` : payload.text;
  // curl reads a leading @ as a file name; a payload that begins with one cannot be JSON, so `--data-raw` is safe.
  const flag = isFile ? '--data-binary' : '--data-raw';
  return [`curl -X POST ${quote(url)}`, ...headers, `${flag} ${quote(body)}`].join(' \\\n  ');
}
