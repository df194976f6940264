import type { SESSION_SECRET_KEY } from '../../../src/contract/session';

const KEY: typeof SESSION_SECRET_KEY = 'switchboard-session';
/** Used where storage is blocked; the session then lasts as long as the page. */
let fallback = '';

/**
 * The secret of the session. Unlike the cookie, it is not sent to other ports of this host. A login link
 * stores it before the page opens.
 */
export const sessionSecret = {
  read: (): string => {
    try {
      return localStorage.getItem(KEY) ?? fallback;
    } catch {
      return fallback;
    }
  },

  save: (secret: string): void => {
    fallback = secret;
    try {
      localStorage.setItem(KEY, secret);
    } catch {
      // As above.
    }
  },
};
