import type { Reader } from '../database/reader';
import { pacingOf, type Pacing } from './pacing';
import type { ReplayRow, Speed } from './replay-row';
import { UpcomingEvents } from './upcoming-events';

const SAMPLE_MS = 1_000;
const SAMPLES = 10;

/** What of a replay is kept in memory while it runs: what comes next, its rate, and how fast it went lately, all by monotonic time. */
export class RunningReplay {
  readonly pacing: Pacing;
  upcoming: UpcomingEvents;
  private samples: { at: number; events: number }[] = [];
  /** When the last of its events that was dealt with was received. */
  private receivedAt: number | null = null;

  constructor(
    public row: ReplayRow,
    private readonly reader: Reader,
    now: number,
  ) {
    this.pacing = pacingOf(row.rate, now);
    this.upcoming = new UpcomingEvents(row, row.position, reader);
  }

  /** Whether everything that is part of it has its deliveries. */
  get isPlanned(): boolean {
    return this.row.position >= this.row.until_seq;
  }

  /** After a step was committed. */
  advance(step: { events: number; deliveries: number; position: number }): void {
    const { row } = this;
    this.receivedAt = this.upcoming.next[step.events - 1]?.receivedAt ?? this.receivedAt;
    this.upcoming.drop(step.events);
    this.row = {
      ...row,
      position: step.position,
      events: row.events + step.events,
      deliveries: row.deliveries + step.deliveries,
    };
  }

  /** What was read ahead is not as it was: it is read again. */
  lookAgain(): void {
    this.upcoming = new UpcomingEvents(this.row, this.row.position, this.reader);
  }

  measure(now: number): void {
    const last = this.samples.at(-1);
    if (last !== undefined && now - last.at < SAMPLE_MS) return;
    this.samples = [...this.samples.slice(1 - SAMPLES), { at: now, events: this.row.events }];
  }

  speed(now: number): Speed {
    const { rate, events, total, newest_at: newestAt } = this.row;
    const first = this.samples[0];
    const measured =
      first === undefined || now <= first.at ? null : ((events - first.events) / (now - first.at)) * 1_000;
    const left = this.isPlanned ? 0 : Math.max(0, total - events);
    const planned = rate !== 'as_fast_as_allowed' && 'per_second' in rate ? rate.per_second : null;
    const perSecond = measured === null || measured === 0 ? planned : measured;
    let eta = perSecond === null ? null : left / perSecond;
    if (left === 0) eta = 0;
    else if (rate !== 'as_fast_as_allowed' && 'pace' in rate)
      eta =
        this.receivedAt === null || newestAt === null
          ? null
          : Math.max(0, newestAt - this.receivedAt) / rate.pace / 1_000;
    return { events_per_second: measured, eta_s: eta };
  }
}
