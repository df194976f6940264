import type { Reader } from '../database/reading/reader';
import type { TargetRecord } from '../targets/target-record';
import type { QueuedCount } from './count-deliveries';
import {
  joinCaughtUp,
  toStoredProgress,
  type Progress,
  type StoredProgress,
  type Tracks,
} from './replay-progress';
import type { ReplayRow, Speed } from './replay-row';
import { ReplayTrack } from './replay-track';

const NONE: QueuedCount = { queued: 0, pending: 0 };

/**
 * The in-memory state of a running replay. Its targets share one track until one of them has so many queued
 * deliveries that it would delay the others: that one gets its own track until it has caught up.
 */
export class RunningReplay {
  /**
   * Whether the next tick must run a step. Otherwise the replay waits for a delivery to finish or a target to change.
   */
  needsStep = true;
  private readonly shared: ReplayTrack;
  private lagging: ReplayTrack[];
  /** By target number, as last read. */
  private queued: ReadonlyMap<number, QueuedCount> = new Map();

  constructor(
    public row: ReplayRow,
    private readonly allTargets: () => readonly TargetRecord[],
    private readonly reader: Reader,
    now: number,
  ) {
    const { position, events } = row;
    const { shared, lagging } = row.tracks ?? { shared: { position, events }, lagging: [] };
    this.shared = new ReplayTrack(null, shared, row, reader, now);
    this.lagging = lagging.map(
      ({ target, ...progress }) => new ReplayTrack(target, progress, row, reader, now),
    );
  }

  /** Lagging tracks first: a target that catches up continues on the shared track in the same step. */
  get tracks(): readonly ReplayTrack[] {
    return [...this.lagging, this.shared];
  }

  /** Whether the deliveries of all its events were created. */
  get isPlanned(): boolean {
    return this.row.position >= this.row.until_seq;
  }

  /** The last `seq` that a track may schedule now. */
  endOf(track: ReplayTrack): number {
    return track === this.shared ? this.row.until_seq : this.shared.progress.position;
  }

  /** The targets of a track. */
  targetsOf(track: ReplayTrack): TargetRecord[] {
    const { target_ids: targetIds, filter } = this.row;
    return this.allTargets().filter(({ id, number, enabled }) => {
      const isIncluded =
        targetIds === null
          ? enabled && (filter.target === undefined || filter.target === id)
          : targetIds.includes(id);
      return isIncluded && (this.lagging.find(({ target }) => target === number) ?? this.shared) === track;
    });
  }

  queuedAt(target: number): QueuedCount {
    return this.queued.get(target) ?? NONE;
  }

  updateQueued(queued: ReadonlyMap<number, QueuedCount>): void {
    this.queued = queued;
  }

  /**
   * The shared track continues without this target. This is stored with the next step: until then all tracks are at
   * the same position.
   */
  addLaggingTrack(target: number, now: number): void {
    this.lagging.push(new ReplayTrack(target, this.shared.progress, this.row, this.reader, now));
  }

  /** The progress to store together with the next `count` events of a track. */
  after(track: ReplayTrack, count: number): StoredProgress {
    return toStoredProgress(this.tracksAfter(track, track.after(count)));
  }

  /** To be called once the progress of `after` is stored. */
  advance(track: ReplayTrack, count: number, deliveries: number): void {
    const progress = track.after(count);
    const tracks = this.tracksAfter(track, progress);
    track.advance(count, progress);
    this.shared.progress = tracks.shared;
    this.lagging = this.lagging.filter(({ target }) =>
      tracks.lagging.some((lagging) => lagging.target === target),
    );
    this.row = { ...this.row, ...toStoredProgress(tracks), deliveries: this.row.deliveries + deliveries };
  }

  /** To be called after an error: the next step reads the events again. */
  discardReadAhead(): void {
    for (const track of this.tracks) track.discardReadAhead();
  }

  /** Measures the speed. @param isPaused whether nothing is sent to a target at the moment */
  measure(isPaused: (target: TargetRecord) => boolean, now: number): void {
    for (const track of this.tracks) {
      const active = this.targetsOf(track).filter((target) => !isPaused(target));
      track.measure(new Map(active.map(({ number }) => [number, this.queuedAt(number).queued])), now);
    }
  }

  /** Without paused targets, since it is unknown when they resume. @param isPaused as in `measure` */
  speed(isPaused: (target: TargetRecord) => boolean, now: number): Speed {
    const { until_seq: until, total, removed } = this.row;
    const active = this.tracks.filter((track) => this.targetsOf(track).some((target) => !isPaused(target)));
    const speeds = active.map((track) => {
      const { position, events } = track.progress;
      // The total may be an estimate that was too low.
      return track.speed(position >= until ? 0 : Math.max(1, total - removed - events), now);
    });
    const rates = speeds.flatMap(({ events_per_second: rate }) => rate ?? []);
    const times = speeds.flatMap(({ eta_s: eta }) => eta ?? []);
    const eta = Math.max(0, ...times);
    const isFinished = this.isPlanned && [...this.queued.values()].every(({ queued }) => queued === 0);
    const isKnown = isFinished || (times.length === active.length && eta > 0);
    return {
      events_per_second: rates.length === 0 ? null : Math.max(...rates),
      eta_s: isKnown ? eta : null,
    };
  }

  private tracksAfter(track: ReplayTrack, progress: Progress): Tracks {
    return joinCaughtUp({
      shared: track === this.shared ? progress : this.shared.progress,
      lagging: this.lagging.map((one) => ({
        target: one.target!,
        ...(one === track ? progress : one.progress),
      })),
    });
  }
}
