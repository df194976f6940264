import type { Target } from '../../contract/target';
import type { FieldError } from '../ground/relay-error';

/** Adds an error for a URL with a user name or password: URLs are shown, stored and logged in plain text. */
export function rejectCredentials(address: string, errors: FieldError[]): void {
  const { username, password } = new URL(address);
  if (username === '' && password === '') return;
  errors.push({
    path: 'url',
    message: 'must not contain a user name or password; send them in a secret header (authorization) instead',
  });
}

/**
 * The URL without its user name and password, and the equivalent `authorization` header (RFC 7617).
 * @returns null if it contains neither
 */
export function splitCredentials(address: string): { url: string; authorization: string } | null {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return null;
  url.username = '';
  url.password = '';
  const credentials = Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64');
  return { url: url.href, authorization: `Basic ${credentials}` };
}

/**
 * The URL for the log and for read-only users, null for a listener. A query often contains a key; the path of a
 * webhook for messages is one (Slack, Discord, ntfy).
 */
export function maskAddress<Address extends string | null>(
  address: Address,
  format: Target['format'] = 'json',
): Address | string {
  if (address === null) return address;
  const { protocol, host, pathname, search } = new URL(address);
  const path = format === 'json' || format === 'email' ? pathname : '/***';
  return `${protocol}//${host}${path}${search === '' ? '' : '?***'}`;
}

/** Decodes percent-encoding; a text with an invalid escape is returned unchanged. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
