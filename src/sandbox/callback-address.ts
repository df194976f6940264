import { z } from 'zod';

const LOOPBACK_HOST = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * A URL of the client: https (document, 2.2), or http on loopback, so that local development needs no certificate. No
 * fragment (RFC 6749, 3.1.2) and no credentials.
 * @param allowHttp whether http is accepted everywhere
 */
export const callbackAddress = (allowHttp: boolean) =>
  z.string('Send a URL.').superRefine((text, context) => {
    const message = findError(text, allowHttp);
    if (message) context.addIssue({ code: 'custom', message });
  });

function findError(text: string, allowHttp: boolean): string | undefined {
  if (!URL.canParse(text)) return 'This is not an absolute URL. Send one such as https://example.com/hooks.';
  const url = new URL(text);
  const secure =
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && (allowHttp || LOOPBACK_HOST.test(url.hostname)));
  if (!secure) return 'Only https is allowed (http only on loopback). Send an https URL.';
  if (url.username || url.password) return 'The URL contains a user name or password. Remove them.';
  if (text.includes('#')) return 'The URL contains a fragment (#…). Remove it.';
  return undefined;
}
