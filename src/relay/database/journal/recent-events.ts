import type { Committed, DeliverableEvent, EventDraft } from './journal';

/** Enough for the deliveries of a few hundred ms; together with the limit of a body, at most 4 MiB. */
const MAX_EVENTS = 1_000;
const MAX_BODY_BYTES = 4_096;

/** The events that were stored last, in memory: most are delivered right away and need not be read again. */
export class RecentEvents {
  private readonly events = new Map<number, DeliverableEvent>();

  /** Those of a commit, if they have deliveries. */
  addAll(events: Committed['events']): void {
    for (const { seq, draft, planned } of events) if (planned.length > 0) this.add(seq, draft);
  }

  private add(seq: number, draft: EventDraft): void {
    if (draft.body.byteLength > MAX_BODY_BYTES) return;
    this.events.set(seq, {
      seq,
      type: draft.type,
      entity: draft.entity,
      receivedAt: draft.receivedAt,
      contentType: draft.contentType,
      signatureHeader: draft.signatureHeader,
      signatureValue: draft.signatureValue,
      // A copy: the received body may be a view of a much larger buffer.
      body: Buffer.from(draft.body),
    });
    if (this.events.size <= MAX_EVENTS) return;
    const [oldest] = this.events.keys();
    this.events.delete(oldest!);
  }

  get(seq: number): DeliverableEvent | null {
    return this.events.get(seq) ?? null;
  }

  /** Call this when events have been removed or erased. */
  clear(): void {
    this.events.clear();
  }
}
