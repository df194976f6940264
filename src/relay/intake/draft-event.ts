import type { EventDraft } from '../database/journal';
import { identifyNotification } from './identify-notification';
import { parseNotification } from './parse-notification';
import type { Verified } from './verify-signature';

/**
 * A notification as received: its bytes, and its headers by lower-case name. `receivedAt`: ms since 1970.
 */
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
  const { content, ...parsed } = parseNotification(body);
  const draft: EventDraft = {
    ...parsed,
    receivedAt,
    contentType: headers.find(([name]) => name === 'content-type')?.[1] ?? null,
    headers,
    body,
    signatureHeader: verified.header,
    signatureValue: verified.value,
    identity: identifyNotification(body, parsed.occurredAt),
  };
  return { draft, content };
}
