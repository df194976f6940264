import type { EventSummary } from '../../contract/event';
import type { EventDraft } from '../database/journal/journal';
import { eventId, type InstanceId } from '../ground/ids';
import { isoOrNull } from '../ground/iso-time';

/** What a summary is made from. Times are ms since 1970; the fields are described in `contract/event.ts`. */
export interface SummaryParts
  extends
    Pick<EventDraft, 'type' | 'entity' | 'name' | 'occurredAt' | 'receivedAt' | 'unreadable'>,
    Pick<EventSummary, 'status' | 'targets'> {
  seq: number;
  /** Null unless it is synthetic. */
  repairId: string | null;
  sizeBytes: number;
  duplicates: number;
  erasedAt: number | null;
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
    repair_id: parts.repairId,
    unreadable: parts.unreadable,
    erased_at: isoOrNull(parts.erasedAt),
    duplicates: parts.duplicates,
    status: parts.status,
    targets: parts.targets,
  };
}
