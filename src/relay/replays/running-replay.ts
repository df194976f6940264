import type { Reader } from '../database/reader';
import type { TargetRecord } from '../targets/target-record';
import type { OpenCount } from './open-deliveries';
import { joined, storedProgress, type Progress, type StoredProgress, type Tracks } from './replay-progress';
import type { ReplayRow, Speed } from './replay-row';
import { ReplayTrack } from './replay-track';

const NONE: OpenCount = { open: 0, pending: 0 };

/**
 * What of a replay is kept in memory while it runs. Its targets go through the events together, until one has so much open
 * that it would hold up another: that one is left behind, and goes on by itself until it has caught up.
 */
export class RunningReplay {
  /** Whether there may be something to do. */
  isStirred = true;
  private readonly lead: ReplayTrack;
  private behind: ReplayTrack[];
  /** By the target's number, as it was when it was last looked at. */
  private open: ReadonlyMap<number, OpenCount> = new Map();

  constructor(
    public row: ReplayRow,
    private readonly allTargets: () => readonly TargetRecord[],
    private readonly reader: Reader,
    now: number,
  ) {
    const { position, events } = row;
    const { lead, behind } = row.tracks ?? { lead: { position, events }, behind: [] };
    this.lead = new ReplayTrack(null, lead, row, reader, now);
    this.behind = behind.map(({ target, ...one }) => new ReplayTrack(target, one, row, reader, now));
  }

  /** Those behind first: one that catches up goes on with the lead at once. */
  get tracks(): readonly ReplayTrack[] {
    return [...this.behind, this.lead];
  }

  /** Whether everything that is part of it has its deliveries. */
  get isPlanned(): boolean {
    return this.row.position >= this.row.until_seq;
  }

  /** Where a track ends for now. */
  endOf(track: ReplayTrack): number {
    return track === this.lead ? this.row.until_seq : this.lead.progress.position;
  }

  /** The targets that a track may send something to. */
  targetsOf(track: ReplayTrack): TargetRecord[] {
    const { target_ids: named, filter } = this.row;
    return this.allTargets().filter(({ id, number, enabled }) => {
      const isMeant =
        named === null
          ? enabled && (filter.target === undefined || filter.target === id)
          : named.includes(id);
      return isMeant && (this.behind.find(({ target }) => target === number) ?? this.lead) === track;
    });
  }

  openAt(target: number): OpenCount {
    return this.open.get(target) ?? NONE;
  }

  look(open: ReadonlyMap<number, OpenCount>): void {
    this.open = open;
  }

  /** The lead goes on without it. It is stored with the next step: before that nobody is ahead of it. */
  splitTrack(target: number, now: number): void {
    this.behind.push(new ReplayTrack(target, this.lead.progress, this.row, this.reader, now));
  }

  /** What is stored with so many of a track's next events. */
  after(track: ReplayTrack, count: number): StoredProgress {
    return storedProgress(this.tracksAfter(track, track.after(count)));
  }

  /** Once that is stored. */
  advance(track: ReplayTrack, count: number, deliveries: number): void {
    const progress = track.after(count);
    const tracks = this.tracksAfter(track, progress);
    track.advance(count, progress);
    this.lead.progress = tracks.lead;
    this.behind = this.behind.filter(({ target }) => tracks.behind.some((one) => one.target === target));
    this.row = { ...this.row, ...storedProgress(tracks), deliveries: this.row.deliveries + deliveries };
  }

  /** What was read ahead is not as it was: it is read again. */
  lookAgain(): void {
    for (const track of this.tracks) track.lookAgain();
  }

  /** @param rests whether nothing goes out to a target for now */
  measure(rests: (target: TargetRecord) => boolean, now: number): void {
    for (const track of this.tracks) {
      const going = this.targetsOf(track).filter((target) => !rests(target));
      track.measure(new Map(going.map(({ number }) => [number, this.openAt(number).open])), now);
    }
  }

  /** Of the targets that do not rest: when the others go on, nobody knows. @param rests as above */
  speed(rests: (target: TargetRecord) => boolean, now: number): Speed {
    const { until_seq: until, total, gone } = this.row;
    const going = this.tracks.filter((track) => this.targetsOf(track).some((target) => !rests(target)));
    const speeds = going.map((track) => {
      const { position, events } = track.progress;
      // What was estimated may have been too little.
      return track.speed(position >= until ? 0 : Math.max(1, total - gone - events), now);
    });
    const rates = speeds.flatMap(({ events_per_second: rate }) => rate ?? []);
    const times = speeds.flatMap(({ eta_s: eta }) => eta ?? []);
    const eta = Math.max(0, ...times);
    const isThrough = this.isPlanned && [...this.open.values()].every(({ open }) => open === 0);
    const isKnown = isThrough || (times.length === going.length && eta > 0);
    return {
      events_per_second: rates.length === 0 ? null : Math.max(...rates),
      eta_s: isKnown ? eta : null,
    };
  }

  private tracksAfter(track: ReplayTrack, progress: Progress): Tracks {
    return joined({
      lead: track === this.lead ? progress : this.lead.progress,
      behind: this.behind.map((one) => ({
        target: one.target!,
        ...(one === track ? progress : one.progress),
      })),
    });
  }
}
