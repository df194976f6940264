import { z } from 'zod';

const LOOPBACK_HOST = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * A URL of the client: https (document, 2.2), or http on loopback, so that local development needs no
 * certificate. No fragment (RFC 6749, 3.1.2) and no credentials.
 */
export const callbackAddress = z.string('Send a URL.').superRefine((text, context) => {
  const message = findError(text);
  if (message) context.addIssue({ code: 'custom', message });
});

function findError(text: string): string | undefined {
  if (!URL.canParse(text)) return 'This is not an absolute URL. Send one such as https://example.com/hooks.';
  const url = new URL(text);
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname));
  if (!secure) return 'Only https is allowed (http only on loopback). Send an https URL.';
  if (url.username || url.password) return 'The URL contains a user name or password. Remove them.';
  if (text.includes('#')) return 'The URL contains a fragment (#…). Remove it.';
  return undefined;
}
