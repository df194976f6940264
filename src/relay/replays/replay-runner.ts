import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { ReplayState, ReplayTally } from '../../contract/replay';
import { Clock } from '../clock';
import { Journal, type ScheduleDraft } from '../database/journal';
import { Reader } from '../database/reader';
import { laneOf } from '../deliveries/lane-of';
import type { DeliveryKey } from '../ids';
import { LOG, type Log } from '../log';
import { RelayError } from '../relay-error';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { Turns } from '../turns';
import { PreviewReplay } from './preview-replay';
import { NOT_FROZEN, parseReplay, SELECT_REPLAY, type ReplayRow, type Speed } from './replay-row';
import { RunningReplay } from './running-replay';
import { tallyReplay } from './tally-replay';
import type { UpcomingEvent } from './upcoming-events';

const TICK_MS = 50;

/** Deliveries of one replay that may be open; it goes on once so many of them are left. */
const OPEN_LIMIT = 500;
const OPEN_MARK = 250;

/** Deliveries made or cancelled in one transaction, which notifications that wait for their answer share. */
const STEP = 100;

interface OpenCount {
  open: number;
  /** Due, and not attempted yet. */
  pending: number;
}

/**
 * Carries out replays, a bounded piece at a time. The deliveries of a piece and the position behind it are one transaction, so
 * that a replay goes on after a restart exactly where it was: nothing is skipped, nothing comes twice.
 */
@Injectable()
export class ReplayRunner implements OnModuleInit, OnModuleDestroy {
  private readonly running = new Map<string, RunningReplay>();
  private readonly listeners: ((id: string) => void)[] = [];
  private readonly turns = new Turns();
  private passing = false;
  private stopping = false;

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly preview: PreviewReplay,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.ended_at IS NULL AND r.state <> 'paused' ORDER BY r.number`,
    );
    for (const row of rows) this.follow(parseReplay(row));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    await this.turns.ended();
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.running.size === 0 || this.passing || this.stopping) return;
    this.passing = true;
    try {
      await this.turns.take(() => this.pass());
    } finally {
      this.passing = false;
    }
  }

  /** A replay that is stored already. */
  follow(row: ReplayRow): void {
    this.running.set(row.id, new RunningReplay(row, this.reader, this.clock.monotonic()));
    this.tell(row.id);
  }

  /** Told the id of a replay that has come further, or whose state has changed, after it is on disk. */
  onChange(listener: (id: string) => void): void {
    this.listeners.push(listener);
  }

  /** Between two steps: changes the state of a replay that has not ended. @returns whether there was one */
  become(id: string, from: readonly ReplayState[], to: ReplayState): Promise<boolean> {
    return this.turns.take(async () => {
      const { rows } = await this.journal.change([
        [
          `UPDATE replays SET state = ? WHERE id = ? AND state IN (${from.map(() => '?').join(', ')}) RETURNING state`,
          [to, id, ...from],
        ],
      ]);
      if (rows[0]!.length === 0) return false;
      if (to !== 'paused') this.follow(await this.row(id));
      else if (this.running.delete(id)) this.tell(id);
      this.log.info({ replay: id, state: to }, 'replay');
      return true;
    });
  }

  speed(id: string): Speed {
    return this.running.get(id)?.speed(this.clock.monotonic()) ?? { events_per_second: null, eta_s: null };
  }

  private async pass(): Promise<void> {
    const counts = await this.openCounts();
    for (const replay of this.running.values()) {
      if (this.stopping) return;
      const { id, state } = replay.row;
      const count = counts.get(id) ?? { open: 0, pending: 0 };
      try {
        if (state === 'cancelling') await this.cancelSome(replay, count.open);
        else if (replay.row.until_seq === NOT_FROZEN) await this.freeze(replay.row);
        else await this.goOn(replay, count);
      } catch (error) {
        // The next tick tries again, from the position that is on disk.
        replay.lookAgain();
        const isPruned = error instanceof RelayError && error.code === 'conflict';
        if (!isPruned) this.log.error({ err: error, replay: id }, 'replay was held up');
      }
    }
  }

  /**
   * The replay came to be with its target. What the writer holds now are all the events that were planned without that target:
   * whatever it commits from here on is planned with it.
   */
  private async freeze({ id, filter, target_ids: named }: ReplayRow): Promise<void> {
    const { rows } = await this.journal.change([['SELECT coalesce(max(seq), 0) AS newest FROM events', []]]);
    const { newest } = rows[0]![0] as { newest: number };
    const there = (named ?? []).filter((one) => this.targets.all().some((target) => target.id === one));
    const count = await this.preview.count({ ...filter, until_seq: newest }, there);
    await this.journal.change([
      [
        'UPDATE replays SET until_seq = ?, total = ?, estimated = ?, newest_at = ? WHERE id = ?',
        [newest, count.events, count.estimated, count.newestAt, id],
      ],
    ]);
    this.log.info({ replay: id, events: count.events, targets: named }, 'replay');
    this.follow(await this.row(id));
  }

  private async goOn(replay: RunningReplay, { open, pending }: OpenCount): Promise<void> {
    if (open <= OPEN_MARK && !replay.isPlanned) await this.schedule(replay, open, pending);
    replay.measure(this.clock.monotonic());
    if (replay.isPlanned && open === 0 && replay.row.ended_at === null) await this.endIfThrough(replay);
  }

  private async schedule(replay: RunningReplay, open: number, pending: number): Promise<void> {
    const { upcoming, pacing } = replay;
    await upcoming.look();
    const planned = upcoming.next.map((event) => ({ event, targets: this.targetsOf(replay.row, event) }));
    const most = Math.min(fitting(planned, OPEN_LIMIT - open), Math.max(0, pacing.dueLimit - pending));
    const now = this.clock.now();
    const due = planned.slice(0, pacing.take(upcoming.next, most, this.clock.monotonic()));
    if (planned.length === 0) await this.commit(replay, [], now);
    while (due.length > 0 && !this.stopping) {
      const piece = due.splice(0, Math.max(1, fitting(due, STEP)));
      await this.commit(replay, piece, now);
    }
  }

  /** An event that retention has removed meanwhile fails the whole of it: its count is short, and no position is null. */
  private async commit(replay: RunningReplay, piece: readonly Planned[], at: number): Promise<void> {
    const { id, position: before } = replay.row;
    const position = replay.upcoming.positionAfter(piece.length);
    if (position === before) return;
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
             WHEN ? THEN ? END, events = events + ?, deliveries = deliveries + ? WHERE id = ?`,
          [seqs.length, position, seqs.length, drafts.length, id],
        ],
      ],
      drafts,
    );
    replay.advance({ events: piece.length, deliveries: drafts.length, position });
    this.tell(id);
  }

  private targetsOf({ target_ids: named }: ReplayRow, { originals }: UpcomingEvent): TargetRecord[] {
    const all = this.targets.all();
    return named === null
      ? all.filter(({ number }) => originals.includes(number))
      : all.filter(({ id }) => named.includes(id));
  }

  /** From the last one on, so that none comes forward in its lane on the way. */
  private async cancelSome(replay: RunningReplay, open: number): Promise<void> {
    const { id } = replay.row;
    if (open === 0) return this.end(replay, 'cancelled');
    const keys = await this.source.query<DeliveryKey[]>(
      `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
       WHERE replay_id = ? AND state IN ('waiting', 'pending', 'retrying') ORDER BY event_seq DESC, n DESC LIMIT ?`,
      [id, STEP],
    );
    const at = this.clock.now();
    const note = 'The replay was cancelled.';
    await this.journal.change(
      [],
      [],
      keys.map((key) => ({ key, note, at })),
    );
  }

  /** What was open when the pass began may not be all: something could have been made in it. */
  private async endIfThrough(replay: RunningReplay): Promise<void> {
    const counts = await this.openCounts();
    if (!counts.has(replay.row.id)) await this.end(replay, 'done');
  }

  private async end(replay: RunningReplay, state: 'done' | 'cancelled'): Promise<void> {
    const { id } = replay.row;
    const report: ReplayTally[] = await tallyReplay(id, this.reader);
    await this.journal.change([
      [
        'UPDATE replays SET state = ?, ended_at = ?, report = ? WHERE id = ?',
        [state, this.clock.now(), JSON.stringify(report), id],
      ],
    ]);
    this.running.delete(id);
    this.tell(id);
    const { events, deliveries } = replay.row;
    this.log.info({ replay: id, state, events, deliveries }, 'replay ended');
  }

  private async openCounts(): Promise<Map<string, OpenCount>> {
    const ids = [...this.running.keys()];
    const rows = await this.source.query<{ id: string; open: number; pending: number }[]>(
      `SELECT replay_id AS id, count(*) AS open, sum(state = 'pending') AS pending FROM deliveries
       WHERE replay_id IN (${ids.map(() => '?').join(', ')}) AND state IN ('waiting', 'pending', 'retrying')
       GROUP BY replay_id`,
      ids,
    );
    return new Map(rows.map(({ id, open, pending }) => [id, { open, pending }]));
  }

  private async row(id: string): Promise<ReplayRow> {
    const [row] = await this.source.query<unknown[]>(`${SELECT_REPLAY} WHERE r.id = ?`, [id]);
    return parseReplay(row);
  }

  private tell(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}

interface Planned {
  event: UpcomingEvent;
  targets: readonly TargetRecord[];
}

/** How many of the events, from the first on, make no more deliveries than there is room for. */
function fitting(planned: readonly Planned[], room: number): number {
  let rows = 0;
  const beyond = planned.findIndex(({ targets }) => (rows += targets.length) > room);
  return beyond === -1 ? planned.length : beyond;
}
