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

/** What a terminal would take for an order when it is pasted, or would not show. A line feed within quotes is neither. */
const UNSHOWN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const ESCAPED = /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** As one word of bash: with `$'…'` where something has to be spelt byte by byte. */
const quote = (text: string) =>
  UNSHOWN.test(text)
    ? `$'${text.replaceAll(ESCAPED, bytesOf)}'`
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const bytesOf = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(
    '',
  );

/** A command for bash that sends the notification again, bytes and signature as they came, to an address of choice. */
export function curlCommand(event: EventDetail, payload: Payload, url: string): string {
  const headers = event.headers
    .filter(([name]) => !NOT_REPEATED.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  // What is no text, or has a NUL, cannot stand in a command; it is downloaded and named instead.
  const isFile = payload.kind === 'bytes' || payload.text.includes('\0');
  const body = isFile ? `@${event.id}.json` : payload.text;
  // curl reads a leading @ as a file name; a payload that begins with one cannot be JSON, so `--data-raw` is safe.
  const flag = isFile ? '--data-binary' : '--data-raw';
  return [`curl -X POST ${quote(url)}`, ...headers, `${flag} ${quote(body)}`].join(' \\\n  ');
}
