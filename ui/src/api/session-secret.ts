import type { SESSION_SECRET_KEY } from '../../../src/contract/session';

const KEY: typeof SESSION_SECRET_KEY = 'switchboard-session';
/** Where nothing may be stored, the session holds for as long as the page. */
let fallback = '';

/** The half of the session that no other port of this host is sent, unlike the cookie. A login link stores it before the page opens. */
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
