import { DEFAULT_PAUSE_REASON } from '../../../contract/constants';
import type { DeliveryDetail } from '../../../contract/delivery';
import { describeOutcome } from '../../deliveries/sending/attempt-outcome';
import { describeLane, isOnlyLane } from '../../deliveries/queue/lane-of';
import type { QueuePosition } from '../../deliveries/queue/queue-position.query';
import type { Opening } from '../../deliveries/sending/breaker';
import { formatCount } from '../../ground/format-count';
import { formatSeconds } from '../../ground/format-seconds';
import type { TargetRecord } from '../../targets/target-record';
import type { TargetOutcome } from '../../../contract/explanation';

/** What became of an event at a target. */
export interface TargetFinding {
  outcome: TargetOutcome;
  /** The reason in a few words, for the summary; targets with equal words share them there. */
  brief: string;
  /** The reason in sentences. */
  reason: string;
}

/** What a queued delivery may wait for. Times are ms since 1970, by the wall clock. */
export interface QueueContext {
  now: number;
  paused: TargetRecord['paused'];
  /** Whether no process takes the events of a listener. */
  offline: boolean;
  /** The open circuit breaker, if any. */
  breaker: Pick<Opening, 'reason' | 'probeAt'> | null;
  /** What is ahead in the lane of a waiting delivery. */
  lane: LanePosition | null;
  /** Not read while one of the above holds all deliveries. */
  position: QueuePosition;
  /** How many deliveries the target finishes per minute; null if that is not known. */
  perMinute: number | null;
  /** How many attempts that count the policy allows. */
  maxAttempts: number;
  inFlight: number;
  concurrency: number;
}

/** Why nothing is sent to a target whose newest delivery was ended before. */
export const CANCELLED = 'cancelled';

/** What is ahead of a delivery in its lane. */
export interface LanePosition {
  ahead: number;
  /** The id of the event whose dead letter blocks the lane, if one does. */
  blockedBy: string | null;
  /** Whether there are more than could be counted. */
  isMore: boolean;
}

/** What became of the newest delivery of an event to a target. @param earlier the deliveries before it */
export function explainDelivery(
  delivery: DeliveryDetail,
  earlier: readonly DeliveryDetail[],
  context: QueueContext | null,
): TargetFinding {
  const { state, note } = delivery;
  const attempts = countOf(delivery.attempt_count, 'attempt');
  const before = earlier.some((other) => other.state === 'succeeded')
    ? ' An earlier delivery succeeded.'
    : earlier.some((other) => other.blocks_lane)
      ? ' An earlier delivery, a dead letter, blocks its lane until it is retried or discarded, or the event is delivered.'
      : '';
  if (state === 'succeeded') {
    const brief = `HTTP ${delivery.last_status}`;
    return { outcome: 'delivered', brief, reason: `Delivered: ${brief}, ${attempts}.` };
  }
  if (state === 'cancelled')
    return { outcome: 'not_sent', brief: CANCELLED, reason: `Cancelled. ${note ?? ''}`.trim() + before };
  if (state === 'dead') {
    const last = delivery.attempts.at(-1);
    const isEnded = delivery.last_error === 'gone' || delivery.last_error === 'expired';
    const brief =
      isEnded || last === undefined
        ? withoutStop(note ?? 'No attempt was made')
        : `${describeOutcome(last)}, ${attempts}`;
    return { outcome: 'failed', brief, reason: `${note ?? brief}${before}` };
  }
  const [brief, detail] = whyQueued(delivery, context);
  const failed = delivery.attempts.at(-1);
  const soFar =
    failed === undefined
      ? ''
      : ` ${countOf(delivery.attempts.length, 'attempt')} so far, the last: ${describeOutcome(failed)}.`;
  return { outcome: 'queued', brief, reason: `Queued ${brief}${detail}.${soFar}${before}` };
}

/** What a queued delivery waits for, after "queued", and the details, which differ from target to target. */
type Wait = [brief: string, detail: string];

function whyQueued(
  { state, due_at: dueAt, lane, attempt_count: attempts }: DeliveryDetail,
  context: QueueContext | null,
): Wait {
  if (state === 'in_flight') return ['for a response to the attempt in flight', ''];
  if (context === null) return ['for a target that was deleted', ''];
  const { now, paused, offline, breaker, inFlight, concurrency, position, maxAttempts } = context;
  if (paused !== null) return [`while the target is paused${whyPaused(paused)}`, ''];
  if (offline) return ['while the listener is offline', ''];
  if (breaker !== null)
    return ['behind an open circuit breaker', `, next probe ${inSeconds(breaker.probeAt - now)}`];
  if (state === 'waiting') return behindLane(lane, context);
  const waitMs = dueAt === null ? 0 : Date.parse(dueAt) - now;
  if (state === 'retrying' && waitMs > 0) {
    const which = `attempt ${attempts - position.uncounted + 1} of ${maxAttempts}`;
    const uncounted = position.uncounted === 0 ? '' : `, ${position.uncounted} uncounted`;
    return ['for the next attempt', ` ${inSeconds(waitMs)}, ${which}${uncounted}`];
  }
  const estimate = estimateWait(position, context.perMinute);
  return ['for a free slot', `: ${inFlight} of ${concurrency} requests in flight${estimate}`];
}

/** The reason that was given, if one was. */
const whyPaused = ({ reason }: NonNullable<QueueContext['paused']>) =>
  reason === DEFAULT_PAUSE_REASON ? '' : `: ${withoutStop(reason)}`;

function behindLane(lane: string | null, { lane: position, perMinute }: QueueContext): Wait {
  const name = describeLane(lane ?? '');
  if (position === null || position.ahead === 0) return [`in ${name}`, ''];
  const { ahead, isMore, blockedBy } = position;
  // Between the deliveries of other lanes, that of the whole target does not say how fast this one is.
  const estimate = isOnlyLane(lane) ? estimateWait(position, perMinute) : '';
  return blockedBy === null
    ? [`behind ${isMore ? 'at least ' : ''}${countOf(ahead, 'delivery', 'deliveries')} in ${name}`, estimate]
    : [`behind a dead letter that blocks ${name}`, `: ${blockedBy}`];
}

/** How long what is ahead takes, such as `, about 20 h at 13/min`; empty if that is not known. */
function estimateWait(
  { ahead, isMore }: Pick<QueuePosition, 'ahead' | 'isMore'>,
  perMinute: number | null,
): string {
  if (perMinute === null || ahead === null || ahead === 0) return '';
  const rate = perMinute < 10 ? Math.round(perMinute * 10) / 10 : Math.round(perMinute);
  const duration = formatSeconds((ahead / perMinute) * 60);
  return `, ${isMore ? 'more than' : 'about'} ${duration} at ${rate}/min`;
}

const inSeconds = (ms: number) => (ms <= 0 ? 'due' : `in ${formatSeconds(ms / 1_000)}`);

const countOf = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const withoutStop = (sentence: string) => sentence.replace(/\.$/, '');
