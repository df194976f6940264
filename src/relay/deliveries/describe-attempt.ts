import type { DeliveryResult, OpenDelivery } from '../database/journal';
import { deliveryId, eventId } from '../ground/ids';
import type { TargetRecord } from '../targets/target-record';
import type { MadeAttempt } from './sending/make-attempt';

/** An attempt as the log tells of it. @param hub the tag of the database, which is a part of the ids */
export function describeAttempt(
  { key }: OpenDelivery,
  { event }: MadeAttempt,
  { id }: TargetRecord,
  { attempt, state, dueAt, note }: DeliveryResult,
  hub: number,
) {
  return {
    delivery: deliveryId(key, hub),
    event: eventId(event.receivedAt, event.seq, hub),
    type: event.type,
    target: id,
    attempt: attempt.number,
    status: attempt.status,
    error: attempt.error,
    duration_ms: attempt.durationMs,
    state,
    due_at: dueAt,
    ...(note !== null && { note }),
  };
}
