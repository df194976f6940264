import type { EventStatus, EventSummary } from '../../contract/event';
import { eventId } from '../ground/ids';

/** What a summary is made of. Times are ms since 1970. */
export interface SummaryParts {
  seq: number;
  type: string;
  entity: string | null;
  name: string | null;
  occurredAt: number | null;
  receivedAt: number;
  sizeBytes: number;
  unreadable: string | null;
  duplicates: number;
  status: EventStatus;
}

/** An event as lists and the live tail show it. */
export function presentEvent(parts: SummaryParts, hub: number): EventSummary {
  return {
    id: eventId(parts.receivedAt, parts.seq, hub),
    seq: parts.seq,
    type: parts.type,
    entity: parts.entity,
    name: parts.name,
    occurred_at: parts.occurredAt === null ? null : new Date(parts.occurredAt).toISOString(),
    received_at: new Date(parts.receivedAt).toISOString(),
    size_bytes: parts.sizeBytes,
    unreadable: parts.unreadable,
    duplicates: parts.duplicates,
    status: parts.status,
  };
}
