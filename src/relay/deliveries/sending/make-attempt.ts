import type { Clock } from '../../ground/clock';
import type { DeliverableEvent, OpenDelivery, Journal } from '../../database/journal';
import { deliveryId, eventId, traceId } from '../../ground/ids';
import type { Random } from '../../ground/random';
import type { TimeBounds } from '../../ground/time-bounds';
import { secretsOf, type TargetRecord } from '../../targets/target-record';
import { deliveryHeaders } from './delivery-headers';
import type { AttemptOutcome, TargetSender } from './send-attempt';

export interface AttemptTools {
  journal: Journal;
  clock: Clock;
  bounds: TimeBounds;
  random: Random;
}

/** A completed attempt. `startedAt` is ms since 1970, `endedLatest` when it ended on the scale of `TimeBounds.latest`. */
export interface MadeAttempt {
  event: DeliverableEvent;
  startedAt: number;
  endedLatest: number;
  outcome: AttemptOutcome;
}

/** An edited body has no signature of Co-Pilot. */
const UNSIGNED = { signatureHeader: '', signatureValue: '' };

/**
 * @param target called right before the request is sent: the target may have changed meanwhile, and its secrets must only be
 * sent to the address they belong to
 * @returns null if no attempt was made, or its outcome is unknown: the event is gone, or the sender was closed
 */
export async function makeAttempt(
  due: OpenDelivery,
  target: () => TargetRecord,
  sender: TargetSender,
  { journal, clock, bounds, random }: AttemptTools,
): Promise<MadeAttempt | null> {
  const stored = due.event ?? (await journal.readEvent(due.key.seq));
  if (stored === null) return null;
  const edited = due.trigger === 'manual' ? await journal.readEditedBody(due.key) : null;
  const event = edited === null ? stored : { ...stored, ...UNSIGNED, body: edited };
  const startedAt = clock.now();
  const startedLatest = bounds.latestOf(startedAt);
  const { seq, receivedAt } = event;
  const { instanceId } = journal;
  const identity = {
    eventId: eventId(receivedAt, seq, instanceId),
    deliveryId: deliveryId(due.key, instanceId),
    traceId: traceId(receivedAt, seq, instanceId),
    spanId: random.bytes(8).toString('hex'),
    attempt: due.attempts + 1,
    trigger: due.trigger,
    replayId: due.replayId,
    edited: edited !== null,
  };
  const current = target();
  const headers = deliveryHeaders(event, identity, current, startedAt);
  const outcome = await sender.send(headers, event.body, secretsOf(current));
  if (outcome === null) return null;
  return { event, startedAt, endedLatest: startedLatest + outcome.durationMs, outcome };
}
