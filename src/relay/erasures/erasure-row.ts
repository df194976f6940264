import type { Actor } from '../../contract/audit';
import type { Erasure, RemainingBackups } from '../../contract/erasure';
import { eventId, type InstanceId } from '../ground/ids';
import { isoOrNull, toIso } from '../ground/iso-time';

/** An erasure as stored. Times are ms since 1970. */
export interface ErasureRow {
  number: number;
  id: string;
  event_seq: number | null;
  entity: string | null;
  /** JSON; null once the events were erased. */
  mentions: string | null;
  until_seq: number;
  reason: string;
  requested_by: string;
  state: Erasure['state'];
  total: number;
  position: number;
  events: number;
  cancelled: number;
  created_at: number;
  erased_at: number | null;
  ended_at: number | null;
  /** Of the single event, if it is stored. */
  received_at: number | null;
}

export const SELECT_ERASURE = `SELECT r.*, e.received_at FROM erasures r LEFT JOIN events e ON e.seq = r.event_seq`;

export function presentErasure(row: ErasureRow, backups: RemainingBackups, instance: InstanceId): Erasure {
  const { id, state, entity, event_seq: seq, received_at: receivedAt, reason } = row;
  return {
    id,
    state,
    event_id: seq === null || receivedAt === null ? null : eventId(receivedAt, seq, instance),
    entity,
    reason,
    requested_by: JSON.parse(row.requested_by) as Actor,
    until_seq: row.until_seq,
    total: row.total,
    events: row.events,
    cancelled: row.cancelled,
    created_at: toIso(row.created_at),
    erased_at: isoOrNull(row.erased_at),
    ended_at: isoOrNull(row.ended_at),
    backups,
    sentence:
      entity === null
        ? 'Other events of the same entity stay as they are.'
        : `Events of ${entity} that arrive later are stored as usual.`,
  };
}
