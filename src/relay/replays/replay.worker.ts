import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { ReplayState } from '../../contract/replay';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { update } from '../database/journal/statements';
import { inJsonList } from '../database/reading/dialect';
import { Reader } from '../database/reading/reader';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { SerialQueue } from '../ground/serial-queue';
import { countQueued } from './count-deliveries';
import { PreviewReplayQuery } from './preview-replay.query';
import { ReplayCompletion } from './replay-completion';
import { UNTIL_SEQ_PENDING, parseReplay, SELECT_REPLAY, type ReplayRow, type Speed } from './replay-row';
import { ReplayScheduler } from './replay-scheduler';
import { PausedTargets } from './paused-targets';
import { RunningReplay } from './running-replay';
import { Signal } from '../ground/signal';
import { NonOverlapping } from '../ground/non-overlapping';

const TICK_MS = 50;

/** Up to the first event that the router evaluates for the target. */
const NEWEST_TO_REPLAY = `SELECT coalesce(min(t.routed_from), (SELECT max(seq) FROM events), 0) AS newest
  FROM targets t WHERE t.id ${inJsonList('?', 'texts')}`;

/**
 * Runs replays in small steps. The deliveries of a step and the new position are stored in one transaction, so a
 * replay continues after a restart exactly where it was: no event is skipped or replayed twice. The replay of a
 * single event is stored with its deliveries, so the worker only ends it.
 */
@Injectable()
export class ReplayWorker implements OnModuleInit, OnModuleDestroy {
  private readonly running = new Map<string, RunningReplay>();
  private readonly changes = new Signal<[id: string]>();
  private readonly queue = new SerialQueue();
  private readonly runs = new NonOverlapping(
    () => this.queue.run(() => this.runOnce()),
    (error) => this.log.error({ err: error }, 'replays could not be run'),
  );

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly paused: PausedTargets,
    private readonly preview: PreviewReplayQuery,
    private readonly scheduler: ReplayScheduler,
    private readonly completion: ReplayCompletion,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    journal.onCommit(({ results, ended }) => {
      for (const { replayId, state } of results)
        if (replayId !== null) this.onDeliveryDone(replayId, state !== 'retrying');
      for (const { replayId } of ended) if (replayId !== null) this.onDeliveryDone(replayId, true);
    });
    targets.onChange(({ number }) => {
      for (const replay of this.running.values()) replay.needsStep = true;
      // The deliveries of a removed target are cancelled in bulk, without naming their replays.
      if (targets.byNumber(number) === null)
        completion
          .enqueueAll()
          .catch((error: unknown) => log.error({ err: error }, 'ended replays could not be found'));
    });
  }

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.ended_at IS NULL AND r.state <> 'paused' AND (r.event_seq IS NULL OR r.state = 'cancelling')
       ORDER BY r.number`,
    );
    for (const row of rows) this.add(parseReplay(row));
    await this.completion.enqueueAll();
  }

  async onModuleDestroy(): Promise<void> {
    await this.runs.stop();
    await this.queue.idle();
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.runs.run();
  }

  /** Starts to run, cancel or end a stored replay, according to its state. */
  add(row: ReplayRow): void {
    if (row.state === 'cancelling') this.completion.cancel(row.id);
    else if (row.event_seq !== null) this.completion.enqueue(row.id);
    else
      this.running.set(
        row.id,
        new RunningReplay(row, () => this.targets.all(), this.reader, this.clock.monotonic()),
      );
    this.changes.emit(row.id);
  }

  /** Calls `listener` with the id of a replay once a change of its progress or state is on disk. */
  onChange(listener: (id: string) => void): void {
    this.changes.subscribe(listener);
  }

  /**
   * Changes the state of a replay between two steps.
   * @returns false if it was in none of the states `from`
   */
  transition(id: string, from: readonly ReplayState[], to: ReplayState): Promise<boolean> {
    return this.queue.run(async () => {
      const { rows } = await this.journal.change({
        statements: [
          [
            `UPDATE replays SET state = ? WHERE id = ? AND state IN (${from.map(() => '?').join(', ')}) RETURNING state`,
            [to, id, ...from],
          ],
        ],
      });
      if (rows[0]!.length === 0) return false;
      this.running.delete(id);
      if (to === 'paused') this.changes.emit(id);
      else this.add(await this.row(id));
      this.log.info({ replay: id, state: to }, 'replay state changed');
      return true;
    });
  }

  speed(id: string): Speed {
    const unknown = { events_per_second: null, eta_s: null };
    return this.running.get(id)?.speed(this.isPaused, this.clock.monotonic()) ?? unknown;
  }

  private readonly isPaused = (target: TargetRecord) => this.paused.includes(target);

  /** Called after an attempt of one of the replay's deliveries, or once one was ended without an attempt. */
  private onDeliveryDone(id: string, isFinished: boolean): void {
    const replay = this.running.get(id);
    if (replay !== undefined) replay.needsStep = true;
    if (isFinished && (replay === undefined || replay.isPlanned)) this.completion.enqueue(id);
  }

  private async runOnce(): Promise<void> {
    for (const replay of this.running.values()) {
      if (this.runs.isStopped) return;
      if (!replay.needsStep) continue;
      replay.needsStep = false;
      try {
        await this.step(replay);
      } catch (error) {
        // The next tick retries from the stored position.
        replay.discardReadAhead();
        replay.needsStep = true;
        // Expected if retention removed an event after it was read ahead; the retry reads the remaining ones.
        const isConflict = error instanceof RelayError && error.code === 'conflict';
        if (!isConflict) this.log.error({ err: error, replay: replay.row.id }, 'replay step failed');
      }
    }
    try {
      for (const id of await this.completion.run()) {
        this.running.delete(id);
        this.changes.emit(id);
      }
    } catch (error) {
      this.log.error({ err: error }, 'replays could not be ended');
    }
  }

  /**
   * Sets the last event of a backfill. The change is committed after all events that arrived before the target
   * existed; events in later groups are delivered to it live.
   */
  private async fixUntilSeq({ id, filter, target_ids: targetIds }: ReplayRow): Promise<void> {
    const { rows } = await this.journal.change({
      statements: [[NEWEST_TO_REPLAY, [JSON.stringify(targetIds ?? [])]]],
    });
    const { newest } = rows[0]![0] as { newest: number };
    const existing = (targetIds ?? []).filter((targetId) =>
      this.targets.all().some((target) => target.id === targetId),
    );
    const count = await this.preview.count({ ...filter, until_seq: newest }, existing);
    const { events: total, estimated, newestAt } = count;
    const changes = { until_seq: newest, total, estimated, newest_at: newestAt };
    await this.journal.change({ statements: [update('replays', id, changes)] });
    this.log.info({ replay: id, events: total, targets: targetIds }, 'replay started');
    this.add(await this.row(id));
  }

  private async step(replay: RunningReplay): Promise<void> {
    const { row } = replay;
    if (row.until_seq === UNTIL_SEQ_PENDING) return this.fixUntilSeq(row);
    replay.updateQueued(await countQueued(row.id, this.reader));
    replay.measure(this.isPaused, this.clock.monotonic());
    for (const track of replay.tracks) if (!this.runs.isStopped) await this.scheduler.step(replay, track);
    if (replay.isPlanned) this.completion.enqueue(row.id);
    if (replay.row !== row) this.changes.emit(row.id);
  }

  private async row(id: string): Promise<ReplayRow> {
    const [row] = await this.source.query<unknown[]>(`${SELECT_REPLAY} WHERE r.id = ?`, [id]);
    return parseReplay(row);
  }
}
