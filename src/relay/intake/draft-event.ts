import type { EventDraft } from '../database/journal/journal';
import { identifyNotification } from './identify-notification';
import { parseNotification } from './parse-notification';
import type { Verified } from './verify-signature';

/** A notification as received: bytes, headers with lowercase names, and when it began to arrive, in ms since 1970. */
export interface ReceivedNotification {
  body: Buffer;
  headers: [name: string, value: string][];
  receivedAt: number;
}

/** The event to store for a verified notification, and its parsed JSON. */
export function draftEvent(
  { body, headers, receivedAt }: ReceivedNotification,
  verified: Verified,
): { draft: EventDraft; content: unknown } {
  const { type, occurredAt, entity, name, webhookId, unreadable, version, content } = parseNotification(
    body,
    headers,
  );
  // Without spread: copying properties one by one would cost more than everything else here.
  const draft: EventDraft = {
    receivedAt,
    occurredAt,
    type,
    entity,
    name,
    webhookId,
    unreadable,
    version,
    contentType: headers.find(([header]) => header === 'content-type')?.[1] ?? null,
    headers,
    body,
    signatureHeader: verified.header,
    signatureValue: verified.value,
    identity: identifyNotification(body, occurredAt),
  };
  return { draft, content };
}
