import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Journal, type ScheduleDraft } from '../database/journal';
import { laneOf } from '../deliveries/queue/lane-of';
import type { TargetRecord } from '../targets/target-record';
import { fitting, inTime, isSent, piecesOf, type PlannedEvent } from './plan-step';
import type { ReplayTrack } from './replay-track';
import type { RunningReplay } from './running-replay';
import type { UpcomingEvent } from './upcoming-events';

/** Deliveries of one replay that may be open at one target; it goes on there once so many of them are left. */
const OPEN_LIMIT = 500;
const OPEN_MARK = 250;

/** Deliveries made in one transaction, which notifications that wait for their answer share. */
const STEP = 100;

/** Makes the deliveries of replays, as far as there is room for them and their rate allows it. */
@Injectable()
export class ReplaySchedule {
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
  ) {}

  /** What a track may go on with now. An event that retention has removed meanwhile fails it: RelayError `conflict`. */
  async step(replay: RunningReplay, track: ReplayTrack): Promise<void> {
    const end = replay.endOf(track);
    if (track.progress.position >= end) return;
    const { dueLimit } = track.pacing;
    const roomAt = ({ number }: TargetRecord) => {
      const { open, pending } = replay.openAt(number);
      return Math.min(OPEN_LIMIT - open, dueLimit - pending);
    };
    const isReady = (target: TargetRecord, used: number) =>
      roomAt(target) > used && replay.openAt(target.number).open + used <= OPEN_MARK;
    const targets = replay.targetsOf(track);
    if (targets.length > 0 && !targets.some((target) => isReady(target, 0))) return;

    replay.isStirred = true;
    await track.look(end);
    const planned = track.next.map((event): PlannedEvent => ({
      event,
      targets: going(replay, targets, event),
    }));
    const now = this.clock.monotonic();
    if (planned.length === 0) return this.commit(replay, track, []);
    const { events, usedAt, full } = fitting(inTime(planned, track.pacing, now), roomAt);
    if (full.length > 0 && targets.some((target) => isReady(target, usedAt(target)))) {
      // Nobody waits for a neighbour.
      for (const { number } of full) replay.splitTrack(number, now);
      return this.step(replay, track);
    }
    track.pacing.took(events.filter(isSent).length, now);
    for (const piece of piecesOf(events, STEP)) await this.commit(replay, track, piece);
  }

  /** With an event that was removed meanwhile the count is short, and no position is null. */
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
    await this.journal.change(
      [
        [
          `UPDATE replays SET position = CASE (SELECT count(*) FROM events WHERE seq IN (${seqs.join(', ')}))
             WHEN ? THEN ? END, events = ?, tracks = ?, deliveries = deliveries + ? WHERE id = ?`,
          [seqs.length, position, events, tracks && JSON.stringify(tracks), drafts.length, id],
        ],
      ],
      drafts,
    );
    replay.advance(track, piece.length, drafts.length);
  }
}

/** Of these targets: all where the replay names them, else those that the event went to live. */
function going(
  { row }: RunningReplay,
  targets: readonly TargetRecord[],
  { originals }: UpcomingEvent,
): readonly TargetRecord[] {
  return row.target_ids === null ? targets.filter(({ number }) => originals.includes(number)) : targets;
}
