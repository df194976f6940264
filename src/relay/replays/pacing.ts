import type { ReplayRate } from '../../contract/replay';
import { TokenBucket } from '../deliveries/queue/token-bucket';

/** Limits a replay to its rate. All times are monotonic, in ms. */
export interface Pacing {
  /** How many of the next events may be sent now. */
  allowed(next: readonly { receivedAt: number }[], now: number): number;
  /** Records that `count` events were sent. */
  consume(count: number, now: number): void;
  /** How many of its deliveries may be due at once, so that a paused target gets no burst when it resumes. */
  readonly dueLimit: number;
}

export function pacingOf(rate: ReplayRate, now: number): Pacing {
  if (rate === 'as_fast_as_allowed')
    return { dueLimit: Infinity, allowed: (next) => next.length, consume: () => undefined };
  return 'pace' in rate ? atPace(rate.pace) : atRate(rate.per_second, now);
}

function atRate(perSecond: number, startedAt: number): Pacing {
  const bucket = new TokenBucket({ limit: perSecond, per: 'second' }, startedAt);
  return {
    dueLimit: Math.max(1, Math.ceil(perSecond)),
    allowed: (next, now) => Math.min(next.length, bucket.available(now)),
    consume(count, now) {
      for (let i = 0; i < count; i += 1) bucket.take(now);
    },
  };
}

/** The first event is sent immediately, as is the next one after a pause or a restart. */
function atPace(factor: number): Pacing {
  let first: { receivedAt: number; at: number } | null = null;
  return {
    dueLimit: Infinity,
    allowed(next, now) {
      if (next.length === 0) return 0;
      first ??= { receivedAt: next[0]!.receivedAt, at: now };
      const { receivedAt, at } = first;
      const later = next.findIndex((event) => at + (event.receivedAt - receivedAt) / factor > now);
      return later === -1 ? next.length : later;
    },
    consume: () => undefined,
  };
}
