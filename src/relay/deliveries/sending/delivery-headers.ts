import type { DeliverableEvent } from '../../database/journal/journal';
import type { DeliveryTrigger } from '../../../contract/delivery';
import { isReservedHeader } from '../../targets/reserved-headers';
import { signingKeys, type TargetRecord } from '../../targets/target-record';
import { VERSION } from '../../ground/version';
import { signDelivery, writeSignature, type SigningTarget } from './sign-delivery';

const USER_AGENT = `Switchboard/${VERSION}`;
const UPSTREAM_SIGNATURE = 'switchboard-upstream-signature';

export interface DeliveryIdentity {
  eventId: string;
  deliveryId: string;
  traceId: string;
  /** The span id of this attempt: 8 bytes in hex. */
  spanId: string;
  /** Whether its trace is recorded. */
  sampled: boolean;
  /** From 1. */
  attempt: number;
  trigger: DeliveryTrigger;
  replayId: string | null;
  /** Whether the body differs from the event's. */
  edited: boolean;
  /** The repair that made the event; null if it is not synthetic. */
  repairId: string | null;
  /** The outages of `readGapMark`. */
  gaps: readonly string[];
  /** The version of the expression that made the body; null if none did. */
  transform: number | null;
}

/**
 * The headers of a request to a target: those of Switchboard, with its signature, and those of the target.
 * @param at time of this attempt, in ms since 1970
 */
export function deliveryHeaders(
  event: DeliverableEvent,
  identity: DeliveryIdentity,
  target: SigningTarget & Pick<TargetRecord, 'headers'>,
  at: number,
): Record<string, string> {
  const timestamp = Math.floor(at / 1_000);
  const keys = signingKeys(target, at);
  // First in one literal: V8 keeps an object that grew by many computed names as a hash table, which is slow to pass
  // to a thread.
  const headers: Record<string, string> = {
    'content-type': event.contentType ?? 'application/octet-stream',
    'user-agent': USER_AGENT,
    'webhook-id': identity.eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signDelivery(keys, identity.eventId, timestamp, event.body, target.ed25519),
    'switchboard-event-type': headerValue(event.type),
    'switchboard-delivery': identity.deliveryId,
    'switchboard-attempt': String(identity.attempt),
    'switchboard-trigger': identity.trigger,
    traceparent: `00-${identity.traceId}-${identity.spanId}-${identity.sampled ? '01' : '00'}`,
  };
  if (identity.replayId !== null) headers['switchboard-replay'] = identity.replayId;
  if (identity.edited) headers['switchboard-edited'] = 'true';
  if (identity.repairId !== null) headers['switchboard-synthetic'] = identity.repairId;
  if (identity.gaps.length > 0) headers['switchboard-gap'] = identity.gaps.join(',');
  if (identity.transform !== null) headers['switchboard-transform'] = String(identity.transform);
  for (const { name, value } of target.headers) if (!isReservedHeader(name)) headers[name] = value;
  if (target.signature !== null)
    headers[target.signature.header] = writeSignature(target.signature.form, keys, timestamp, event.body);
  if (event.signatureHeader !== '') {
    const { signatureHeader: name } = event;
    const taken = name in headers || name === 'authorization' || name === 'cookie' || isReservedHeader(name);
    headers[taken ? UPSTREAM_SIGNATURE : name] = event.signatureValue;
  }
  return headers;
}

/** An event type is arbitrary text; a header value may only contain visible ASCII. */
const headerValue = (text: string) => text.replace(/[^\x21-\x7e]/gu, percentEncoded);

/** `encodeURIComponent` would throw on a lone surrogate, which JSON may contain. */
function percentEncoded(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase()}`).join('');
}
