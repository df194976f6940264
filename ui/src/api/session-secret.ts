import { SESSION_SECRET_KEY } from '@contract/constants';

/** Used if storage is blocked: the session then lasts as long as the page. A user of the proxy has no secret. */
let fallback = 'none';

/**
 * A session needs both its cookie and this secret. Browsers send the cookie to every port of the host, but not
 * this secret, which each request carries in a header. A login link stores it before the page opens.
 */
export const sessionSecret = {
  read: (): string => {
    try {
      return localStorage.getItem(SESSION_SECRET_KEY) ?? fallback;
    } catch {
      return fallback;
    }
  },

  save: (secret: string): void => {
    fallback = secret;
    try {
      localStorage.setItem(SESSION_SECRET_KEY, secret);
    } catch {
      // Storage is blocked: the fallback is used.
    }
  },
};
