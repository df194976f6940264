import type { Clock } from '../../ground/clock';
import { repairOf } from '../../database/journal/repair-of';
import type {
  DeliverableEvent,
  DeliveryResult,
  QueuedDelivery,
  Journal,
} from '../../database/journal/journal';
import { deliveryId, eventId, replayOf, traceId, type InstanceId } from '../../ground/ids';
import type { Random } from '../../ground/random';
import type { PublicAddress } from '../../settings/public-address';
import type { TimeBounds } from '../../ground/time-bounds';
import type { TracedAttempt, Tracer } from '../../ground/tracer';
import { secretsOf, type TargetRecord } from '../../targets/target-record';
import { formatMessage } from '../messages/format-message';
import { readContent } from '../messages/message-content';
import type { TargetOwnership } from '../target-ownership';
import { deliveryHeaders } from './delivery-headers';
import { transformFailedOutcome, type AttemptOutcome } from './attempt-outcome';
import { readGapMark } from './gap-mark';
import type { TargetSender } from './target-sender';
import type { EventTransformer } from '../../transforms/event-transformer';
import { transformEvent, UNCHANGED, UNSIGNED } from './transform-event';

export interface AttemptTools {
  ownership: TargetOwnership;
  journal: Journal;
  clock: Clock;
  bounds: TimeBounds;
  random: Random;
  tracer: Tracer;
  publicAddress: PublicAddress;
  transformer: Pick<EventTransformer, 'evaluate'>;
}

/** An attempt whose outcome is known. */
export interface CompletedAttempt {
  event: DeliverableEvent;
  traceId: string;
  spanId: string;
  /** Ms since 1970. */
  startedAt: number;
  /** On the scale of `TimeBounds.latest`. */
  endedLatest: number;
  outcome: AttemptOutcome;
}

/**
 * Sends a delivery to its target once: the stored bytes of the event or an edited body, what the expression of the target
 * makes of either, or a message about the stored event.
 * @param target called right before the request is sent: the target may have changed meanwhile, and its secrets must
 * only be sent to the URL they belong to
 * @returns null if there is no outcome: the event was removed, the sender was closed, this machine could not connect,
 * or another daemon may deliver to it
 */
export async function makeAttempt(
  due: QueuedDelivery,
  target: () => TargetRecord,
  sender: TargetSender,
  { ownership, journal, clock, bounds, random, tracer, publicAddress, transformer }: AttemptTools,
): Promise<CompletedAttempt | null> {
  const stored = due.event ?? (await journal.readEvent(due.key.seq));
  if (stored === null) return null;
  const edited = due.trigger === 'manual' ? await journal.readEditedBody(due.key) : null;
  const gaps = await readGapMark(stored, target(), journal);
  const original = edited === null ? stored : { ...stored, ...UNSIGNED, body: edited };
  const { instanceId } = journal;
  const transformed =
    target().transform === null
      ? { event: original, ...UNCHANGED }
      : await transformEvent(original, target, transformer);
  if (transformed === null) return null;
  const { event, version, previous, failure } = transformed;
  const startedAt = clock.now();
  const startedLatest = bounds.fromWallClock(startedAt);
  const { seq, receivedAt } = event;
  const trace = traceId(receivedAt, seq, instanceId);
  const identity = {
    eventId: eventId(receivedAt, seq, instanceId),
    deliveryId: deliveryId(due.key, instanceId),
    traceId: trace,
    spanId: random.bytes(8).toString('hex'),
    sampled: tracer.isSampled(trace),
    attempt: due.attempts + 1,
    trigger: due.trigger,
    replayId: replayOf(due),
    edited: edited !== null,
    repairId: repairOf(stored),
    gaps,
    transform: version,
  };
  const current = target();
  // Not of an edited body: it would be sent in the name of the hub, with its password.
  const message = formatMessage(current, () =>
    readContent({ ...stored, id: identity.eventId }, publicAddress.url),
  );
  const body = message === null ? event.body : Buffer.from(message.body);
  const headers = deliveryHeaders({ ...event, body }, identity, current, startedAt);
  if (message !== null) Object.assign(headers, message.headers);
  const secrets = secretsOf(current);
  if (!ownership.delivers(due.key.target)) return null;
  const outcome = failure ? transformFailedOutcome(failure) : await sender.send(headers, body, secrets);
  // Nothing was sent, and the target is not at fault.
  if (outcome === null || outcome.error === 'local_failure') return null;
  if (version !== null) Object.assign(outcome, { transform: version, previous });
  return {
    event,
    traceId: trace,
    spanId: identity.spanId,
    startedAt,
    endedLatest: startedLatest + outcome.durationMs,
    outcome,
  };
}

/** The attempt as its span shows it. */
export function tracedAttempt(
  { key }: QueuedDelivery,
  { traceId: trace, spanId, startedAt }: CompletedAttempt,
  target: TargetRecord,
  { attempt, state }: DeliveryResult,
  instanceId: InstanceId,
): TracedAttempt {
  const { number, durationMs, status, error } = attempt;
  const common = { traceId: trace, spanId, deliveryId: deliveryId(key, instanceId), target, state };
  return { ...common, startedAt, number, durationMs, status, error };
}

/** The fields of an attempt in the log. */
export function attemptLogFields(
  { key }: QueuedDelivery,
  { event }: CompletedAttempt,
  { id }: TargetRecord,
  { attempt, state, dueAt, note }: DeliveryResult,
  instanceId: InstanceId,
) {
  return {
    delivery: deliveryId(key, instanceId),
    event: eventId(event.receivedAt, event.seq, instanceId),
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
