import * as fc from 'fast-check';
import type { Clock } from '../../../src/relay/ground/clock';
import { TimeBounds, type TimeRecord } from '../../../src/relay/ground/time-bounds';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 20, 12);

/** A clock that advances only when a test moves it. */
class TestClock implements Clock {
  private wall = START;
  private passed = 0;
  private asleep = 0;

  now = () => this.wall;
  monotonic = () => this.passed;
  slept = () => this.asleep;

  move(ms: number): void {
    this.wall += ms;
    this.passed += ms;
  }

  jump(ms: number): void {
    this.wall += ms;
  }

  sleep(ms: number): void {
    this.wall += ms;
    this.asleep += ms;
  }
}

let clock: TestClock;
let bounds: TimeBounds;
beforeEach(() => {
  clock = new TestClock();
  bounds = new TimeBounds(clock);
});

const restarted = (record: TimeRecord) => new TimeBounds(clock, record);
const offsets = () => [bounds.latest() - clock.now(), bounds.ageOf(START) - (clock.now() - START)];

describe('time bounds', () => {
  it('equal the wall clock while it is only corrected for drift', () => {
    for (let i = 0; i < 1_000; i += 1) {
      clock.move(10 * SECOND);
      clock.jump(i % 2 === 0 ? 1_500 : -1_500);
      expect(offsets()).toEqual([0, 0]);
    }
    expect(bounds.takeJumps()).toEqual([]);
  });

  it('keep advancing with the latest time when the wall clock is set back', () => {
    const due = bounds.latest() + 5 * SECOND;
    clock.jump(-2 * HOUR);
    expect(bounds.takeJumps()).toEqual([{ direction: 'back', ms: 2 * HOUR, to: START - 2 * HOUR }]);
    clock.move(5 * SECOND);
    expect(bounds.latest()).toBe(due);
    expect(bounds.toWallClock(due)).toBe(clock.now());
    expect(bounds.takeJumps()).toEqual([]);
  });

  it('follow the wall clock ahead at once with the latest time, and never with the age of what was stored before', () => {
    clock.jump(40 * DAY);
    expect(bounds.latest()).toBe(START + 40 * DAY);
    expect(bounds.ageOf(START)).toBe(0);
    expect(bounds.takeJumps()).toEqual([{ direction: 'ahead', ms: 40 * DAY, to: START + 40 * DAY }]);
    const after = clock.now();
    clock.move(10 * DAY);
    expect(bounds.ageOf(START)).toBe(10 * DAY);
    expect(bounds.ageOf(after)).toBe(10 * DAY);
  });

  it('forget a jump that is reverted', () => {
    clock.jump(40 * DAY);
    clock.move(HOUR);
    bounds.latest();
    clock.jump(-40 * DAY);
    expect(bounds.ageOf(START)).toBe(HOUR);
    expect(bounds.latest()).toBe(START + 40 * DAY + HOUR);
    clock.move(100 * DAY);
    expect(bounds.ageOf(START)).toBe(100 * DAY + HOUR);
  });

  it('correct what was stored while the clock was behind, and not what was stored before that', () => {
    const right = clock.now();
    clock.move(DAY);
    clock.jump(-365 * DAY);
    bounds.latest();
    const behind = clock.now();
    clock.move(DAY);
    // It is put right in two steps.
    clock.jump(100 * DAY);
    bounds.latest();
    const lessBehind = clock.now();
    clock.move(DAY);
    clock.jump(265 * DAY);
    clock.move(30 * DAY);
    expect([right, behind, lessBehind].map((time) => bounds.ageOf(time))).toEqual([
      33 * DAY,
      32 * DAY,
      31 * DAY,
    ]);
    expect(bounds.ageOf(right - DAY)).toBe(34 * DAY);
  });

  it('correct what another clock has stored that is behind this one', () => {
    bounds.justStored(START - 50 * SECOND);
    expect(bounds.ageOf(START - 50 * SECOND)).toBe(50 * SECOND);
    for (let i = 0; i < 1_000; i += 1) {
      bounds.justStored(clock.now() - 365 * DAY);
      clock.move(10 * SECOND);
    }
    expect(bounds.record().corrections.past.length).toBeLessThan(10);
    expect(bounds.ageOf(START - 365 * DAY)).toBe(10_000 * SECOND);
    expect(bounds.ageOf(START)).toBe(10_000 * SECOND);
  });

  it('correct what the leader corrects, also if its clock is behind this one', () => {
    const behind = (): number => clock.now() - 40 * DAY;
    const leader = new TimeBounds({ now: behind, monotonic: () => clock.monotonic(), slept: () => 0 });
    leader.justStored(START - 365 * DAY);
    leader.checkedThrough = 7;
    bounds.learn(leader.record());
    expect(bounds.checkedThrough).toBe(7);
    clock.move(DAY);
    expect([365, 40].map((days) => bounds.ageOf(START - days * DAY))).toEqual([DAY, DAY]);
    expect(bounds.olderThan(DAY).kept).toEqual(
      expect.arrayContaining([[START - 365 * DAY, START - 365 * DAY + HOUR]]),
    );
    leader.learn(bounds.record());
    bounds.learn({ ...leader.record(), corrections: { since: 0, past: [] } });
    expect(bounds.ageOf(START - 365 * DAY)).toBe(366 * DAY);
  });

  it('count system sleep as time that has passed', () => {
    clock.sleep(8 * HOUR);
    expect(offsets()).toEqual([0, 0]);
    expect(bounds.takeJumps()).toEqual([]);
    clock.sleep(HOUR);
    clock.jump(40 * DAY);
    expect(bounds.takeJumps()).toMatchObject([{ direction: 'ahead', ms: 40 * DAY }]);
    expect(bounds.ageOf(START)).toBe(9 * HOUR);
  });

  it('do not mistake a suspension of the process between two readings for a jump', () => {
    const stopped = jest.spyOn(clock, 'now').mockImplementationOnce(() => {
      const before = START;
      clock.move(30 * SECOND);
      return before;
    });
    expect(bounds.latest()).toBe(START + 30 * SECOND);
    expect(stopped).toHaveBeenCalledTimes(2);
    expect(bounds.takeJumps()).toEqual([]);
  });

  it('are available even if the process is suspended at every reading', () => {
    const readings = jest.spyOn(clock, 'now').mockImplementation(() => {
      clock.move(30 * SECOND);
      if (readings.mock.calls.length > 100) throw new Error('It keeps reading the clock.');
      return START;
    });
    expect(bounds.latest()).toBeGreaterThanOrEqual(START);
  });

  it('never move the latest time back, nor make anything older than the time that a daemon has run since', () => {
    const step = fc.record({
      move: fc.integer({ min: 0, max: HOUR }),
      jump: fc.integer({ min: -DAY, max: DAY }),
      downtime: fc.option(fc.integer({ min: 0, max: DAY })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        clock = new TestClock();
        bounds = new TimeBounds(clock);
        const stored: { time: number; ranMs: number }[] = [];
        for (const { move, jump, downtime } of steps) {
          const latest = bounds.latest();
          stored.push({ time: clock.now(), ranMs: clock.monotonic() });
          clock.move(move);
          const record = bounds.record();
          if (downtime !== null) clock.jump(downtime);
          clock.jump(Math.abs(jump) > 2 * SECOND ? jump : 0);
          if (downtime !== null) bounds = restarted(record);
          expect(bounds.latest()).toBeGreaterThanOrEqual(latest + move);
          for (const { time, ranMs } of stored) {
            const age = bounds.ageOf(time);
            // A restart does not tell a small change of the clock from downtime.
            expect(age).toBeLessThanOrEqual(clock.monotonic() - ranMs + 2 * SECOND * steps.length);
            for (const limitMs of [HOUR, age - 1, age]) {
              const { before, kept } = bounds.olderThan(limitMs);
              const isOld = time < before && !kept.some(([from, until]) => time >= from && time <= until);
              expect(isOld).toBe(age > limitMs);
              if (time < bounds.allOlderThan(limitMs)) expect(isOld).toBe(true);
            }
          }
        }
      }),
    );
  });
});

describe('after a restart, time bounds', () => {
  it('continue where they were, whatever the wall clock was set to meanwhile', () => {
    clock.jump(40 * DAY);
    const due = bounds.latest() + 5 * SECOND;
    const record = bounds.record();
    clock.jump(-40 * DAY);
    bounds = restarted(record);
    clock.move(5 * SECOND);
    expect(bounds.latest()).toBe(due);
    expect(bounds.ageOf(START)).toBe(5 * SECOND);
    expect(bounds.takeJumps()).toEqual([{ direction: 'back', ms: 40 * DAY, to: START }]);
  });

  it('do not count the time in which no daemon ran: the clock may have been corrected meanwhile', () => {
    const record = bounds.record();
    // Up to a minute passes until the next record, which a crash prevents.
    clock.move(30 * SECOND);
    const last = clock.now();
    clock.jump(60 * DAY);
    bounds = restarted(record);
    expect(bounds.latest()).toBe(clock.now());
    expect(bounds.takeJumps()).toEqual([]);
    clock.move(10 * DAY);
    expect(bounds.ageOf(START)).toBe(10 * DAY);
    expect(bounds.ageOf(last)).toBeLessThanOrEqual(10 * DAY);
    expect(bounds.ageOf(clock.now() - DAY)).toBe(DAY);
  });

  it('count no downtime as age, also of what was stored after a small correction of the clock', () => {
    for (const adjust of [
      () => clock.jump(-SECOND),
      () => {
        const record = bounds.record();
        clock.jump(-SECOND);
        bounds = restarted(record);
      },
    ]) {
      const stopped = bounds.record();
      clock.jump(2 * 60 * SECOND);
      bounds = restarted(stopped);
      adjust();
      const stored = clock.now();
      const record = bounds.record();
      clock.jump(HOUR);
      bounds = restarted(record);
      expect(bounds.ageOf(stored)).toBeLessThanOrEqual(SECOND);
    }
  });

  it('keep the corrections, and few of them, however often the daemon is restarted', () => {
    clock.jump(40 * DAY);
    bounds.latest();
    for (let run = 0; run < 500; run += 1) {
      clock.move(HOUR);
      const record = bounds.record();
      expect(record.corrections.past.length).toBeLessThanOrEqual(50);
      clock.jump(SECOND);
      bounds = restarted(record);
    }
    expect(bounds.ageOf(START)).toBe(500 * HOUR);
    const age = bounds.ageOf(clock.now() - 400 * HOUR);
    expect(age).toBeLessThanOrEqual(400 * HOUR);
    // Only the seconds of the restarts do not count.
    expect(age).toBeGreaterThan(399 * HOUR);
  });
});
