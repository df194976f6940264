import type { Attempt, Delivery } from '../../contract/delivery';
import type { AttemptRecord } from '../database/journal/journal';
import { deliveryId, eventId, replayOf, type InstanceId } from '../ground/ids';
import type { DeliveryEntity } from './delivery.entity';
import { isoOrNull, toIso } from '../ground/iso-time';

/** What the row of a delivery does not contain. */
export interface DeliveryContext {
  instanceId: InstanceId;
  event: { receivedAt: number; type: string; entity: string | null; name: string | null };
  target: { id: string; name: string };
  inFlight: boolean;
  /** When it is due by the wall clock, in ms since 1970. */
  dueAt: number | null;
  /** Whether its target uses ordering. */
  ordered: boolean;
}

/** A delivery as the API and the dashboard show it. */
export function presentDelivery(
  row: DeliveryEntity & { edited: number },
  { instanceId, event, target, inFlight, dueAt, ordered }: DeliveryContext,
): Delivery {
  return {
    id: deliveryId(row, instanceId),
    event_id: eventId(event.receivedAt, row.seq, instanceId),
    event_seq: row.seq,
    event_type: event.type,
    entity: event.entity,
    entity_name: event.name,
    target_id: target.id,
    target_name: target.name,
    state: inFlight ? 'in_flight' : row.state,
    trigger: row.trigger,
    replay_id: replayOf(row),
    lane: row.lane,
    edited: row.edited === 1,
    out_of_order: ordered && row.trigger === 'manual' && row.lane === null,
    blocks_lane: row.state === 'dead' && row.finishedAt === null,
    attempt_count: row.attempts,
    last_status: row.lastStatus,
    last_error: row.lastError,
    created_at: toIso(row.createdAt),
    due_at: isoOrNull(dueAt),
    finished_at: isoOrNull(row.finishedAt),
    note: row.note,
  };
}

export function presentAttempt({ number, at, durationMs, ...attempt }: AttemptRecord): Attempt {
  const { status, error, excerpt, transform } = attempt;
  return { number, at: toIso(at), duration_ms: durationMs, status, error, excerpt, transform };
}
