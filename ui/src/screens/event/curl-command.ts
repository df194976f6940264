import type { EventDetail } from '@contract/event';
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

/** Characters that a terminal interprets or does not show. A line feed within quotes is harmless. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const MUST_ESCAPE = /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Quotes a bash argument, with `$'…'` if bytes must be escaped. */
const quote = (text: string) =>
  UNPRINTABLE.test(text)
    ? `$'${text.replaceAll(MUST_ESCAPE, bytesOf)}'`
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const bytesOf = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(
    '',
  );

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
