import type { ReplayRate } from '../../../src/contract/replay';
import { MAX_WAIT_MS, pacingOf } from '../../../src/relay/replays/pacing';

const START = 1_000_000;
const SECOND = 1_000;

/** When each event is sent, in ms from the start, with a check every `intervalMs` for at most `limit` events. */
function sentAt(
  rate: ReplayRate,
  received: readonly number[],
  intervalMs: number,
  limit = Infinity,
): number[] {
  const pacing = pacingOf(rate, START);
  let next = received.map((receivedAt) => ({ receivedAt }));
  const sent: number[] = [];
  for (let now = START; next.length > 0; now += intervalMs) {
    const taken = Math.min(pacing.allowed(next, now), limit);
    pacing.consume(taken, now);
    sent.push(...next.slice(0, taken).map(() => now - START));
    next = next.slice(taken);
  }
  return sent;
}

describe('the pace of a replay', () => {
  it('is limited only by the targets if no rate is set', () => {
    expect(sentAt('as_fast_as_allowed', [1, 2, 3, 4, 5], 10, 2)).toEqual([0, 0, 10, 10, 20]);
  });

  it('never exceeds the requested events per second', () => {
    const sent = sentAt({ per_second: 20 }, Array<number>(400).fill(0), 50);
    for (let from = 0; from < 18 * SECOND; from += 500) {
      const within = sent.filter((at) => at >= from && at < from + 5 * SECOND).length;
      expect(within).toBeLessThanOrEqual(102);
    }
    expect(sent.at(-1)).toBeLessThan(21 * SECOND);
  });

  it('limits the burst for a target that is unavailable', () => {
    expect(pacingOf({ per_second: 20 }, START).dueLimit).toBe(20);
    expect(pacingOf({ per_second: 0.1 }, START).dueLimit).toBe(1);
  });

  it('keeps the intervals between arrivals, without accumulating delays', () => {
    const received = Array.from({ length: 100 }, (_, i) => i * 7 * SECOND);
    const sent = sentAt({ pace: 10 }, received, 50);
    for (const [i, at] of sent.entries()) {
      expect(at).toBeGreaterThanOrEqual(i * 700);
      expect(at).toBeLessThan(i * 700 + 50);
    }
  });

  it('keeps the order if the clock was set back between two arrivals', () => {
    expect(sentAt({ pace: 1 }, [0, 500, 100, 600], 100)).toEqual([0, 500, 500, 600]);
  });

  it.each([1, 100])(
    'never waits longer than an hour for an event, at pace %d, and continues at the pace',
    (pace) => {
      const YEAR = 365 * 86_400 * SECOND;
      // The clock was wrong for one event, and behind from another one on.
      const received = [
        0,
        pace * SECOND,
        YEAR * pace,
        2 * pace * SECOND,
        3 * pace * SECOND,
        -YEAR,
        -YEAR + pace * SECOND,
      ];
      const sent = sentAt({ pace }, received, SECOND);
      const late = SECOND + MAX_WAIT_MS;
      expect(sent).toEqual([0, SECOND, late, late, late + SECOND, late + SECOND, late + 2 * SECOND]);
    },
  );
});
