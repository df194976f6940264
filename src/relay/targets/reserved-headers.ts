/** Names that belong to the message, to the connection (RFC 9110, 7.6.1), or to a trace. */
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

/** Whether a header of a request to a target is ours to set. @param name in lower case */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name) || name.startsWith('webhook-') || name.startsWith('switchboard-');
}
