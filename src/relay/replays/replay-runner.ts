import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { ReplayState } from '../../contract/replay';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Reader } from '../database/reader';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { SerialQueue } from '../ground/serial-queue';
import { openDeliveries } from './open-deliveries';
import { PreviewReplay } from './preview-replay';
import { ReplayEndings } from './replay-endings';
import { NOT_FROZEN, parseReplay, SELECT_REPLAY, type ReplayRow, type Speed } from './replay-row';
import { ReplaySchedule } from './replay-schedule';
import { PausedTargets } from './paused-targets';
import { RunningReplay } from './running-replay';

const TICK_MS = 50;

/**
 * Carries out replays, a bounded piece at a time. The deliveries of a piece and the position behind it are one transaction, so
 * that a replay goes on after a restart exactly where it was: nothing is skipped, nothing comes twice. The replay of one event
 * has its deliveries from the start on: it is only ended.
 */
@Injectable()
export class ReplayRunner implements OnModuleInit, OnModuleDestroy {
  private readonly running = new Map<string, RunningReplay>();
  private readonly listeners: ((id: string) => void)[] = [];
  private readonly turns = new SerialQueue();
  private passing = false;
  private stopping = false;

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly resting: PausedTargets,
    private readonly preview: PreviewReplay,
    private readonly schedule: ReplaySchedule,
    private readonly endings: ReplayEndings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    journal.onCommit(({ settled, concluded }) => {
      for (const { replayId, state } of settled)
        if (replayId !== null) this.continueOthers(replayId, state !== 'retrying');
      for (const { replayId } of concluded) if (replayId !== null) this.continueOthers(replayId, true);
    });
    targets.onChange(({ number }) => {
      for (const replay of this.running.values()) replay.isStirred = true;
      if (targets.byNumber(number) === null) this.allMayEnd();
    });
  }

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.ended_at IS NULL AND r.state <> 'paused' AND (r.event_seq IS NULL OR r.state = 'cancelling')
       ORDER BY r.number`,
    );
    for (const row of rows) this.follow(parseReplay(row));
    await this.endings.considerAll();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    await this.turns.idle();
  }

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.passing || this.stopping) return;
    this.passing = true;
    try {
      await this.turns.run(() => this.pass());
    } finally {
      this.passing = false;
    }
  }

  /** A replay that is stored already. */
  follow(row: ReplayRow): void {
    if (row.state === 'cancelling') this.endings.cancel(row.id);
    else if (row.event_seq !== null) this.endings.consider(row.id);
    else
      this.running.set(
        row.id,
        new RunningReplay(row, () => this.targets.all(), this.reader, this.clock.monotonic()),
      );
    this.notifyChanged(row.id);
  }

  /** Told the id of a replay that has come further, or whose state has changed, after it is on disk. */
  onChange(listener: (id: string) => void): void {
    this.listeners.push(listener);
  }

  /** Between two steps: changes the state of a replay that has not ended. @returns whether there was one */
  transition(id: string, from: readonly ReplayState[], to: ReplayState): Promise<boolean> {
    return this.turns.run(async () => {
      const { rows } = await this.journal.change([
        [
          `UPDATE replays SET state = ? WHERE id = ? AND state IN (${from.map(() => '?').join(', ')}) RETURNING state`,
          [to, id, ...from],
        ],
      ]);
      if (rows[0]!.length === 0) return false;
      this.running.delete(id);
      if (to === 'paused') this.notifyChanged(id);
      else this.follow(await this.row(id));
      this.log.info({ replay: id, state: to }, 'replay');
      return true;
    });
  }

  speed(id: string): Speed {
    const unknown = { events_per_second: null, eta_s: null };
    return this.running.get(id)?.speed(this.rests, this.clock.monotonic()) ?? unknown;
  }

  private readonly rests = (target: TargetRecord) => this.resting.pauseOf(target) !== null;

  /** Something of it has come further. */
  private continueOthers(id: string, isOver: boolean): void {
    const replay = this.running.get(id);
    if (replay !== undefined) replay.isStirred = true;
    if (isOver && (replay === undefined || replay.isPlanned)) this.endings.consider(id);
  }

  private async pass(): Promise<void> {
    for (const replay of this.running.values()) {
      if (this.stopping) return;
      if (!replay.isStirred) continue;
      replay.isStirred = false;
      try {
        await this.step(replay);
      } catch (error) {
        // The next tick tries again, from the position that is on disk.
        replay.lookAgain();
        replay.isStirred = true;
        const isPruned = error instanceof RelayError && error.code === 'conflict';
        if (!isPruned) this.log.error({ err: error, replay: replay.row.id }, 'replay was held up');
      }
    }
    try {
      for (const id of await this.endings.pass()) {
        this.running.delete(id);
        this.notifyChanged(id);
      }
    } catch (error) {
      this.log.error({ err: error }, 'replays could not be ended');
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

  private async step(replay: RunningReplay): Promise<void> {
    const { row } = replay;
    if (row.until_seq === NOT_FROZEN) return this.freeze(row);
    replay.look(await openDeliveries(row.id, this.reader));
    for (const track of replay.tracks) if (!this.stopping) await this.schedule.step(replay, track);
    replay.measure(this.rests, this.clock.monotonic());
    if (replay.isPlanned) this.endings.consider(row.id);
    if (replay.row !== row) this.notifyChanged(row.id);
  }

  private allMayEnd(): void {
    this.endings
      .considerAll()
      .catch((error: unknown) => this.log.error({ err: error }, 'replays could not be looked at'));
  }

  private async row(id: string): Promise<ReplayRow> {
    const [row] = await this.source.query<unknown[]>(`${SELECT_REPLAY} WHERE r.id = ?`, [id]);
    return parseReplay(row);
  }

  private notifyChanged(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}
