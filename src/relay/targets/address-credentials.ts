import type { Problem } from '../../contract/problem';

type Faults = NonNullable<Problem['errors']>;

/** Faults an address that holds a user name or a password: an address is shown, stored and logged as it is. */
export function refuseCredentials(address: string, faults: Faults): void {
  const { username, password } = new URL(address);
  if (username === '' && password === '') return;
  faults.push({
    path: 'url',
    message: 'an address holds no user name and no password: give them as a secret header, authorization',
  });
}

/**
 * An address without the user name and password in it, and the value of the `authorization` that says the same (RFC 7617).
 * @returns null where it holds neither
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

/** An address for the log and for whoever may only read: a query often carries a key. */
export function maskQuery(address: string): string {
  const { protocol, host, pathname, search } = new URL(address);
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?***'}`;
}

/** A lone percent sign is no escape and stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
