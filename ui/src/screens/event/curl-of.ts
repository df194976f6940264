import type { EventDetail } from '../../../../src/contract/event';
import type { Payload } from '../../payload/payload';

/** Headers that belong to the connection it came by, or that curl makes itself. */
const NOT_REPEATED = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'accept-encoding',
  'expect',
]);

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A shell command that sends the notification again, bytes and signature as they came, to an address of choice. */
export function curlOf(event: EventDetail, payload: Payload, url: string): string {
  const headers = event.headers
    .filter(([name]) => !NOT_REPEATED.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  // What is no text cannot stand in a command; it is downloaded and named instead.
  const body = payload.kind === 'bytes' ? `@${event.id}.bin` : payload.text;
  // curl reads a leading @ as a file name; a payload that begins with one cannot be JSON, so `--data-raw` is safe.
  const flag = payload.kind === 'bytes' ? '--data-binary' : '--data-raw';
  return [`curl -X POST ${quote(url)}`, ...headers, `${flag} ${quote(body)}`].join(' \\\n  ');
}
