import type { DeliverableEvent, EventDraft } from './journal';

/** In bytes. Larger bodies are read when they are sent: with the deliveries of all queues they would take too much memory. */
export const MAX_QUEUED_BODY_BYTES = 4_096;

/** Copies an event, for a delivery that is kept in memory until it is sent. */
export type CopyEvent = () => DeliverableEvent | undefined;

/** The event that was just committed, for deliveries that are sent soon; undefined if its body is too large. */
export function deliverableEvent(seq: number, draft: EventDraft): DeliverableEvent | undefined {
  if (draft.body.byteLength > MAX_QUEUED_BODY_BYTES) return undefined;
  return {
    seq,
    type: draft.type,
    entity: draft.entity,
    receivedAt: draft.receivedAt,
    contentType: draft.contentType,
    signatureHeader: draft.signatureHeader,
    signatureValue: draft.signatureValue,
    // A copy: the received body may be a view of a much larger buffer.
    body: Buffer.from(draft.body),
  };
}
