import type { EventStatus, EventSummary } from '../../contract/event';
import { eventId, type InstanceId } from '../ground/ids';
import { isoOrNull } from '../ground/iso-time';

/** What a summary is made from. Times are ms since 1970; the fields are described in `contract/event.ts`. */
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

/** An event as in lists and on the live socket. */
export function presentEvent(parts: SummaryParts, instanceId: InstanceId): EventSummary {
  return {
    id: eventId(parts.receivedAt, parts.seq, instanceId),
    seq: parts.seq,
    type: parts.type,
    entity: parts.entity,
    name: parts.name,
    occurred_at: isoOrNull(parts.occurredAt),
    received_at: new Date(parts.receivedAt).toISOString(),
    size_bytes: parts.sizeBytes,
    unreadable: parts.unreadable,
    duplicates: parts.duplicates,
    status: parts.status,
  };
}
