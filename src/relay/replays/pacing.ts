import type { ReplayRate } from '../../contract/replay';
import { TokenBucket } from '../ground/token-bucket';

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

/** The longest wait for the next event: the clock may have been wrong when one of them was received. */
export const MAX_WAIT_MS = 60 * 60 * 1_000;

/** The first event is sent immediately, as is the next one after a pause or a restart. */
function atPace(factor: number): Pacing {
  /** The latest arrival of the events that were sent, and when that event was due. */
  let last: Due | null = null;
  let allowed: Due[] = [];
  return {
    dueLimit: Infinity,
    allowed(next, now) {
      allowed = [];
      for (const { receivedAt } of next) {
        const due = dueAfter(allowed.at(-1) ?? last ?? { receivedAt, at: now }, receivedAt, factor);
        if (due.at > now) break;
        allowed.push(due);
      }
      return allowed.length;
    },
    consume(count) {
      last = allowed[count - 1] ?? last;
    },
  };
}

interface Due {
  receivedAt: number;
  at: number;
}

/** An event that seems to have arrived earlier than the one before it, is due with that one. */
function dueAfter(last: Due, receivedAt: number, factor: number): Due {
  const waitMs = Math.min(Math.max(0, receivedAt - last.receivedAt) / factor, MAX_WAIT_MS);
  // If it is much earlier, the clock was set back between the two: the interval to the next one is right again.
  const wasSetBack = last.receivedAt - receivedAt > MAX_WAIT_MS;
  return {
    receivedAt: wasSetBack ? receivedAt : Math.max(receivedAt, last.receivedAt),
    at: last.at + waitMs,
  };
}
