import type { Reader } from '../database/reader';
import { pacingOf, type Pacing } from './pacing';
import type { Progress } from './replay-progress';
import type { ReplayRow, Speed } from './replay-row';
import { UpcomingEvents, type UpcomingEvent } from './upcoming-events';

const SAMPLE_MS = 1_000;
/** So long what was measured tells how fast it goes. */
const SAMPLED_MS = 10_000;

/** One way through the events of a replay: for the targets that keep up, or for one that does not. In memory, while it runs; by monotonic time. */
export class ReplayTrack {
  /** Each has the whole rate of the replay: nobody is sent more than that. */
  readonly pacing: Pacing;
  private upcoming: UpcomingEvents;
  /** How many events were through at some moments lately. */
  private samples: { at: number; through: number }[] = [];
  /** The targets that the samples are about. */
  private measured = '';
  /** Deliveries that are open at the one of these targets that has most. */
  private backlog = 0;
  /** When the last of its events that was dealt with was received. */
  private receivedAt: number | null = null;

  /** @param target the number of the one that it is for; null for those that keep up */
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

  look(through: number): Promise<void> {
    return this.upcoming.look(through);
  }

  /** What was read ahead is not as it was: it is read again. */
  lookAgain(): void {
    this.upcoming = new UpcomingEvents(this.row, this.progress.position, this.reader);
  }

  /** Where it stands once so many of the next events are dealt with. */
  after(count: number): Progress {
    return { position: this.upcoming.positionAfter(count), events: this.progress.events + count };
  }

  advance(count: number, progress: Progress): void {
    this.receivedAt = this.next[count - 1]?.receivedAt ?? this.receivedAt;
    this.upcoming.drop(count);
    this.progress = progress;
  }

  /** @param open what is open at each of the targets that may go on, by their numbers */
  measure(open: ReadonlyMap<number, number>, now: number): void {
    const targets = [...open.keys()].join(' ');
    if (targets !== this.measured) this.samples = [];
    this.measured = targets;
    this.backlog = Math.max(0, ...open.values());
    const last = this.samples.at(-1);
    if (last !== undefined && now - last.at < SAMPLE_MS) return;
    this.samples = [
      ...this.samples.filter(({ at }) => now - at <= SAMPLED_MS),
      { at: now, through: this.through },
    ];
  }

  /** @param left events that it has still to come to */
  speed(left: number, now: number): Speed {
    const measured = this.rate(now);
    const { rate, newest_at: newestAt } = this.row;
    const speed = (eta: number | null): Speed => ({ events_per_second: measured, eta_s: eta });
    if (left + this.backlog === 0) return speed(0);
    if (left > 0 && rate !== 'as_fast_as_allowed' && 'pace' in rate) {
      if (this.receivedAt === null || newestAt === null) return speed(null);
      return speed(Math.max(0, newestAt - this.receivedAt) / rate.pace / 1_000);
    }
    const planned =
      left > 0 && rate !== 'as_fast_as_allowed' && 'per_second' in rate ? rate.per_second : null;
    const perSecond = measured === null || measured === 0 ? planned : measured;
    return speed(perSecond === null ? null : (left + this.backlog) / perSecond);
  }

  /** Events that have their outcome at all its targets. */
  private get through(): number {
    return this.progress.events - this.backlog;
  }

  /** Events a second that came through lately. */
  private rate(now: number): number | null {
    const [first] = this.samples;
    if (first === undefined || now <= first.at) return null;
    return Math.max(0, ((this.through - first.through) / (now - first.at)) * 1_000);
  }
}
