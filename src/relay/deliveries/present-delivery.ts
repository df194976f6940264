import type { Attempt, Delivery } from '../../contract/delivery';
import type { AttemptRecord } from '../database/journal';
import { deliveryId, eventId } from '../ground/ids';
import type { DeliveryEntity } from './delivery.entity';

/** What a delivery's row does not hold itself. */
export interface DeliverySurroundings {
  hub: number;
  event: { receivedAt: number; type: string; entity: string | null };
  target: { id: string; name: string };
  inFlight: boolean;
  /** When the wall clock will show that it is due. */
  dueAt: number | null;
  /** Its target keeps an order. */
  ordered: boolean;
}

/** A delivery as the API and the dashboard show it. */
export function presentDelivery(
  row: DeliveryEntity & { edited: number },
  { hub, event, target, inFlight, dueAt, ordered }: DeliverySurroundings,
): Delivery {
  return {
    id: deliveryId(row, hub),
    event_id: eventId(event.receivedAt, row.seq, hub),
    event_seq: row.seq,
    event_type: event.type,
    entity: event.entity,
    target_id: target.id,
    target_name: target.name,
    state: inFlight ? 'in_flight' : row.state,
    trigger: row.trigger,
    replay_id: row.replayId,
    lane: row.lane,
    edited: row.edited === 1,
    out_of_order: ordered && row.trigger === 'manual' && row.lane === null,
    stops_lane: row.state === 'dead' && row.settledAt === null,
    attempt_count: row.attempts,
    last_status: row.lastStatus,
    last_error: row.lastError,
    created_at: instant(row.createdAt),
    due_at: dueAt === null ? null : instant(dueAt),
    settled_at: row.settledAt === null ? null : instant(row.settledAt),
    note: row.note,
  };
}

export function presentAttempt({ number, at, durationMs, status, error, excerpt }: AttemptRecord): Attempt {
  return { number, at: instant(at), duration_ms: durationMs, status, error, excerpt };
}

const instant = (ms: number) => new Date(ms).toISOString();
