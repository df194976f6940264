import type { IncomingHttpHeaders } from 'node:http';

/** Headers of the message, of the connection (RFC 9110, 7.6.1), and of tracing. */
const RESERVED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/**
 * Whether a request is a delivery, of this hub or another: whatever is sent to a target has these headers, and no
 * target can change them.
 */
export const isDelivery = (headers: IncomingHttpHeaders): boolean =>
  headers['webhook-id'] !== undefined || headers['switchboard-delivery'] !== undefined;

/** Whether only Switchboard sets this header of requests to targets. @param name in lower case */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name) || name.startsWith('webhook-') || name.startsWith('switchboard-');
}
