import { z } from 'zod';

const LOOPBACK_HOST = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * An address of the client's that the service sends a browser or a notification to: https (document, 2.2), or http where
 * it cannot leave the machine, so that a first run needs no certificate. No fragment (RFC 6749, 3.1.2) and no password.
 */
export const callbackAddress = z.string('Send an address.').superRefine((text, context) => {
  const fault = faultOf(text);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

function faultOf(text: string): string | undefined {
  if (!URL.canParse(text)) return 'This is no absolute address. Send one such as https://example.com/hooks.';
  const url = new URL(text);
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname));
  if (!secure) return 'Only https is taken (http only towards loopback). Send an https address.';
  if (url.username || url.password) return 'The address carries a user name or password. Leave them out.';
  if (text.includes('#')) return 'The address carries a fragment (#…), which is never sent. Leave it out.';
  return undefined;
}
