import type { Reader } from '../database/reading/reader';
import { MAX_WAIT_MS, pacingOf, type Pacing } from './pacing';
import type { Progress } from './replay-progress';
import type { ReplayRow, Speed } from './replay-row';
import { UpcomingEvents, type UpcomingEvent } from './upcoming-events';

const SAMPLE_INTERVAL_MS = 1_000;
const SAMPLE_WINDOW_MS = 10_000;

/**
 * The progress of a running replay for the targets that share a track, or for one that lags behind. All times are
 * monotonic.
 */
export class ReplayTrack {
  /** Each track has the full rate of the replay, which limits what each target receives. */
  readonly pacing: Pacing;
  private upcoming: UpcomingEvents;
  /** The number of finished events at recent times; the speed is measured between them. */
  private samples: { at: number; finished: number }[] = [];
  /** The targets to which the samples apply. */
  private measured = '';
  /** The number of queued deliveries of the target that has the most. */
  private backlog = 0;
  /** The number of events whose deliveries to all targets of the track were finished by then. */
  private finished = 0;
  /** When the last scheduled event was received. */
  private lastReceivedAt: number | null = null;

  /** @param target the number of the lagging target; null for the shared track */
  constructor(
    readonly target: number | null,
    public progress: Progress,
    private readonly row: ReplayRow,
    private readonly reader: Reader,
    now: number,
  ) {
    this.pacing = pacingOf(row.rate, now);
    this.upcoming = new UpcomingEvents(row, progress.position, reader);
  }

  get next(): readonly UpcomingEvent[] {
    return this.upcoming.next;
  }

  readAhead(through: number): Promise<void> {
    return this.upcoming.fill(through);
  }

  /** To be called after an error: the events are read again. */
  discardReadAhead(): void {
    this.upcoming = new UpcomingEvents(this.row, this.progress.position, this.reader);
  }

  /** The progress after the next `count` events. */
  after(count: number): Progress {
    return { position: this.upcoming.positionAfter(count), events: this.progress.events + count };
  }

  advance(count: number, progress: Progress): void {
    this.lastReceivedAt = this.next[count - 1]?.receivedAt ?? this.lastReceivedAt;
    this.upcoming.drop(count);
    this.progress = progress;
  }

  /**
   * To be called before the deliveries of more events are created.
   * @param queued the number of queued deliveries of each target that is not paused, by target number
   */
  measure(queued: ReadonlyMap<number, number>, now: number): void {
    const targets = [...queued.keys()].join(' ');
    if (targets !== this.measured) this.samples = [];
    this.measured = targets;
    this.backlog = Math.max(0, ...queued.values());
    this.finished = this.progress.events - this.backlog;
    const last = this.samples.at(-1);
    if (last !== undefined && now - last.at < SAMPLE_INTERVAL_MS) return;
    this.samples = [
      ...this.samples.filter(({ at }) => now - at <= SAMPLE_WINDOW_MS),
      { at: now, finished: this.finished },
    ];
  }

  /** @param remaining the number of events whose deliveries were not created yet */
  speed(remaining: number, now: number): Speed {
    const measured = this.rate(now);
    const { rate, newest_at: newestAt } = this.row;
    const speed = (eta: number | null): Speed => ({ events_per_second: measured, eta_s: eta });
    if (remaining + this.backlog === 0) return speed(0);
    if (remaining > 0 && rate !== 'as_fast_as_allowed' && 'pace' in rate) {
      if (this.lastReceivedAt === null || newestAt === null) return speed(null);
      const intervals = Math.max(0, newestAt - this.lastReceivedAt) / rate.pace;
      return speed(Math.min(intervals, remaining * MAX_WAIT_MS) / 1_000);
    }
    const planned =
      remaining > 0 && rate !== 'as_fast_as_allowed' && 'per_second' in rate ? rate.per_second : null;
    const perSecond = measured === null || measured === 0 ? planned : measured;
    return speed(perSecond === null ? null : (remaining + this.backlog) / perSecond);
  }

  /** Recently finished events per second. */
  private rate(now: number): number | null {
    const [first] = this.samples;
    if (first === undefined || now <= first.at) return null;
    return Math.max(0, ((this.finished - first.finished) / (now - first.at)) * 1_000);
  }
}
