import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { NOT_ERASED } from '../database/erasure-rules';
import { Journal, type ScheduleDraft } from '../database/journal/journal';
import { laneOf } from '../deliveries/queue/lane-of';
import type { TargetRecord } from '../targets/target-record';
import { takeWithCapacity, takePaced, hasTargets, splitByDeliveries, type PlannedEvent } from './plan-step';
import type { ReplayTrack } from './replay-track';
import type { RunningReplay } from './running-replay';
import type { UpcomingEvent } from './upcoming-events';

/** The most queued deliveries of one replay to one target. */
const MAX_QUEUED = 500;
/** More are created once so few are queued: then fewer, larger steps suffice. */
const REFILL_AT = 250;

/** Deliveries per transaction: notifications that wait for a response share it. */
const DELIVERIES_PER_STEP = 100;

/** Creates the deliveries of replays, within the queue limits and the rate of each replay. */
@Injectable()
export class ReplayScheduler {
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the deliveries that the queue limits and the rate of a track allow now.
   * @throws RelayError `conflict` if one of the events was removed or erased since it was read ahead
   */
  async step(replay: RunningReplay, track: ReplayTrack): Promise<void> {
    const end = replay.endOf(track);
    if (track.progress.position >= end) return;
    const { dueLimit } = track.pacing;
    const capacityOf = ({ number }: TargetRecord) => {
      const { queued, pending } = replay.queuedAt(number);
      return Math.min(MAX_QUEUED - queued, dueLimit - pending);
    };
    const isReady = (target: TargetRecord, used: number) =>
      capacityOf(target) > used && replay.queuedAt(target.number).queued + used <= REFILL_AT;
    const targets = replay.targetsOf(track);
    if (targets.length > 0 && !targets.some((target) => isReady(target, 0))) return;

    // Not finished with this step, even if it creates no delivery: time must pass, or more must be read.
    replay.needsStep = true;
    await track.readAhead(end);
    const planned = track.next.map((event): PlannedEvent => ({
      event,
      targets: targetsOfEvent(replay, targets, event),
    }));
    const now = this.clock.monotonic();
    if (planned.length === 0) return this.commit(replay, track, []);
    const { events, usedAt, full } = takeWithCapacity(takePaced(planned, track.pacing, now), capacityOf);
    if (full.length > 0 && targets.some((target) => isReady(target, usedAt(target)))) {
      // The full targets would delay those with capacity, so they continue on tracks of their own.
      for (const { number } of full) replay.addLaggingTrack(number, now);
      return this.step(replay, track);
    }
    track.pacing.consume(events.filter(hasTargets).length, now);
    for (const piece of splitByDeliveries(events, DELIVERIES_PER_STEP))
      await this.commit(replay, track, piece);
  }

  /**
   * Stores the deliveries and the new position. If one of the events was removed or erased in the meantime, the position
   * becomes NULL, which the table rejects as a conflict.
   */
  private async commit(
    replay: RunningReplay,
    track: ReplayTrack,
    piece: readonly PlannedEvent[],
  ): Promise<void> {
    const { id } = replay.row;
    const { position, events, tracks } = replay.after(track, piece.length);
    if (piece.length === 0 && track.after(0).position === track.progress.position) return;
    const at = this.clock.now();
    const drafts = piece.flatMap(({ event, targets }) =>
      targets.map((target): ScheduleDraft => ({
        seq: event.seq,
        target: target.number,
        trigger: 'replay',
        replayId: id,
        at,
        lane: laneOf(target.policy.ordering, event.entity, id),
      })),
    );
    const seqs = piece.map(({ event }) => event.seq);
    const storedTracks = tracks && JSON.stringify(tracks);
    await this.journal.change({
      statements: [
        [
          `UPDATE replays SET
             position = CASE WHEN (
                 SELECT count(*) FROM events e WHERE seq IN (${seqs.join(', ')}) AND ${NOT_ERASED}) = @count
               THEN @position END,
             events = @events, tracks = @tracks, deliveries = deliveries + @added WHERE id = @id`,
          [{ id, count: seqs.length, position, events, tracks: storedTracks, added: drafts.length }],
        ],
      ],
      schedule: drafts,
    });
    replay.advance(track, piece.length, drafts.length);
  }
}

/** All of these targets if the replay names them; otherwise those that the event was delivered to live. */
function targetsOfEvent(
  { row }: RunningReplay,
  targets: readonly TargetRecord[],
  { originals }: UpcomingEvent,
): readonly TargetRecord[] {
  return row.target_ids === null ? targets.filter(({ number }) => originals.includes(number)) : targets;
}
