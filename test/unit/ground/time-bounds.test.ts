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
const offsets = () => [bounds.latest() - clock.now(), bounds.earliest() - clock.now()];

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
    expect(bounds.earliest()).toBe(clock.now());
    expect(bounds.takeJumps()).toEqual([]);
  });

  it('follow the wall clock ahead at once with the latest time, and after a day with the earliest', () => {
    clock.jump(40 * DAY);
    expect(bounds.latest()).toBe(START + 40 * DAY);
    expect(bounds.earliest()).toBe(START);
    expect(bounds.takeJumps()).toEqual([{ direction: 'ahead', ms: 40 * DAY, to: START + 40 * DAY }]);
    clock.move(DAY - 1);
    expect(bounds.earliest()).toBe(START + DAY - 1);
    // It has been stable for a day, so the clock is trusted.
    clock.move(1);
    expect(bounds.earliest()).toBe(START + 41 * DAY);
  });

  it('no longer doubt a jump that is reverted', () => {
    clock.jump(40 * DAY);
    clock.move(HOUR);
    bounds.latest();
    clock.jump(-40 * DAY);
    expect(bounds.earliest()).toBe(START + HOUR);
    expect(bounds.latest()).toBe(START + 40 * DAY + HOUR);
  });

  it('count system sleep as time that has passed', () => {
    clock.sleep(8 * HOUR);
    expect(offsets()).toEqual([0, 0]);
    expect(bounds.takeJumps()).toEqual([]);
    clock.sleep(HOUR);
    clock.jump(40 * DAY);
    expect(bounds.takeJumps()).toMatchObject([{ direction: 'ahead', ms: 40 * DAY }]);
    expect(bounds.earliest()).toBe(START + 9 * HOUR);
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

  it('never move the latest time back, nor the earliest ahead of the time that has passed', () => {
    const step = fc.record({
      move: fc.integer({ min: 0, max: HOUR }),
      jump: fc.integer({ min: -DAY, max: DAY }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        clock = new TestClock();
        bounds = new TimeBounds(clock);
        for (const { move, jump } of steps) {
          const latest = bounds.latest();
          clock.move(move);
          clock.jump(Math.abs(jump) > 2 * SECOND ? jump : 0);
          expect(bounds.latest()).toBeGreaterThanOrEqual(latest + move);
          expect(bounds.earliest()).toBeLessThanOrEqual(START + clock.monotonic());
          expect(bounds.earliest()).toBeLessThanOrEqual(clock.now());
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
    expect(bounds.earliest()).toBe(START + 5 * SECOND);
    expect(bounds.takeJumps()).toEqual([{ direction: 'back', ms: 40 * DAY, to: START }]);
  });

  it('doubt the time in which no daemon ran, until the clock has been stable for a day', () => {
    const record = bounds.record();
    clock.jump(60 * DAY);
    bounds = restarted(record);
    expect(bounds.latest()).toBe(clock.now());
    expect(bounds.earliest()).toBe(START);
    expect(bounds.takeJumps()).toEqual([]);
    clock.move(DAY);
    expect(bounds.earliest()).toBe(clock.now());
  });

  it('doubt a jump ahead for a day of running, however often the daemon is restarted', () => {
    clock.jump(40 * DAY);
    for (let run = 0; run < 24; run += 1) {
      expect(bounds.earliest()).toBeLessThan(START + DAY);
      clock.move(HOUR);
      const record = bounds.record();
      expect(record.doubts.length).toBeLessThan(50);
      clock.move(SECOND);
      bounds = restarted(record);
    }
    // Only the seconds of the restarts are still doubted.
    expect(clock.now() - bounds.earliest()).toBeLessThan(MINUTE);
  });
});

const MINUTE = 60 * SECOND;
