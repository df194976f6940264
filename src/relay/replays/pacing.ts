import type { ReplayRate } from '../../contract/replay';
import { TokenBucket } from '../deliveries/queue/token-bucket';

/** Keeps a replay to its rate. Monotonic time comes from the caller. */
export interface Pacing {
  /** How many of the next events, in their order, may go out now. */
  allowed(next: readonly { receivedAt: number }[], now: number): number;
  /** So many of them went out. */
  took(count: number, now: number): void;
  /** How many of its deliveries may be due at once: what piles up at a target that rests must not come in one burst. */
  readonly dueLimit: number;
}

export function pacingOf(rate: ReplayRate, now: number): Pacing {
  if (rate === 'as_fast_as_allowed')
    return { dueLimit: Infinity, allowed: (next) => next.length, took: () => undefined };
  return 'pace' in rate ? atPace(rate.pace) : atRate(rate.per_second, now);
}

function atRate(perSecond: number, startedAt: number): Pacing {
  const bucket = new TokenBucket({ limit: perSecond, per: 'second' }, startedAt);
  return {
    dueLimit: Math.max(1, Math.ceil(perSecond)),
    allowed: (next, now) => Math.min(next.length, bucket.available(now)),
    took(count, now) {
      for (let i = 0; i < count; i += 1) bucket.take(now);
    },
  };
}

/** The first event goes at once; after a pause or a restart so does the one that is next then. */
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
    took: () => undefined,
  };
}
