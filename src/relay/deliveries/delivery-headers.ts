import type { DeliverableEvent } from '../database/journal';
import type { DeliveryTrigger } from '../../contract/delivery';
import { VERSION } from '../version';

const USER_AGENT = `Switchboard/${VERSION}`;
const UPSTREAM_SIGNATURE = 'switchboard-upstream-signature';

/** Names that are ours, the client's, or not to be passed on (RFC 9110, 7.6.1). */
const TAKEN = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

export interface DeliveryIdentity {
  eventId: string;
  deliveryId: string;
  traceId: string;
  /** Of this attempt: 8 bytes in hex. */
  spanId: string;
  /** From 1. */
  attempt: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
}

/** What a request to a target carries beside the stored bytes. `signature` and `timestampSeconds` are this attempt's. */
export function deliveryHeaders(
  event: DeliverableEvent,
  identity: DeliveryIdentity,
  timestampSeconds: number,
  signature: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': event.contentType ?? 'application/octet-stream',
    'user-agent': USER_AGENT,
    'webhook-id': identity.eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
    'switchboard-event-type': headerValue(event.type),
    'switchboard-delivery': identity.deliveryId,
    'switchboard-attempt': String(identity.attempt),
    'switchboard-trigger': identity.trigger,
    traceparent: `00-${identity.traceId}-${identity.spanId}-01`,
  };
  if (identity.replayId !== null) headers['switchboard-replay'] = identity.replayId;
  if (event.signatureHeader !== '') headers[passedOnAs(event.signatureHeader)] = event.signatureValue;
  return headers;
}

function passedOnAs(name: string): string {
  const taken = TAKEN.has(name) || name.startsWith('webhook-') || name.startsWith('switchboard-');
  return taken ? UPSTREAM_SIGNATURE : name;
}

/** An event type is whatever Co-Pilot signed; a header takes visible ASCII only. */
const headerValue = (text: string) => text.replace(/[^\x21-\x7e]/gu, percentEncoded);

/** As `encodeURIComponent`, which throws on half a surrogate pair: JSON may hold one. */
function percentEncoded(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase()}`).join('');
}
