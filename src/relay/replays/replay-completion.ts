import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { update } from '../database/journal/statements';
import { Reader } from '../database/reading/reader';
import type { DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { UNTIL_SEQ_PENDING } from './replay-row';
import { tallyReplay } from './count-deliveries';
import { inJsonList } from '../database/reading/dialect';

/** Replays that are checked in one step. */
const CHECKED_PER_STEP = 500;
/** Replays that are cancelled at the same time, and deliveries of each that are cancelled in one step. */
const REPLAYS_CANCELLED_AT_ONCE = 5;
const DELIVERIES_PER_STEP = 100;

const QUEUED = `'waiting', 'pending', 'retrying'`;

interface FinishedReplay {
  id: string;
  state: 'running' | 'cancelling';
  events: number;
  deliveries: number;
}

/**
 * Ends replays once all their deliveries are finished. A replay is checked only after one of its deliveries has
 * finished, so that replays waiting for a target cost nothing.
 */
@Injectable()
export class ReplayCompletion {
  private readonly candidates = new Set<string>();
  private readonly cancelling = new Set<string>();

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Checks a replay at the next run. */
  enqueue(id: string): void {
    this.candidates.add(id);
  }

  /** Checks all replays that have not ended. */
  async enqueueAll(): Promise<void> {
    const rows = await this.source.query<{ id: string }[]>('SELECT id FROM replays WHERE ended_at IS NULL');
    for (const { id } of rows) this.enqueue(id);
  }

  /** Cancels the queued deliveries of a replay, in steps. */
  cancel(id: string): void {
    this.cancelling.add(id);
  }

  /** One step. @returns the ids of the replays that ended */
  async run(): Promise<string[]> {
    await Promise.all(
      [...this.cancelling].slice(0, REPLAYS_CANCELLED_AT_ONCE).map((id) => this.cancelStep(id)),
    );
    const ids = [...this.candidates].slice(0, CHECKED_PER_STEP);
    if (ids.length === 0) return [];
    // Removed first: a delivery that finishes meanwhile adds its replay again.
    for (const id of ids) this.candidates.delete(id);
    try {
      const finished = await this.findFinished(ids);
      await Promise.all(finished.map((one) => this.finish(one)));
      return finished.map(({ id }) => id);
    } catch (error) {
      for (const id of ids) this.enqueue(id);
      throw error;
    }
  }

  private findFinished(ids: readonly string[]): Promise<FinishedReplay[]> {
    return this.reader.all<FinishedReplay>([
      `SELECT id, state, events, deliveries FROM replays r WHERE id ${inJsonList('?', 'texts')}
       AND (state = 'cancelling' OR (state = 'running' AND position >= until_seq AND until_seq <> ?))
       AND NOT EXISTS (
         SELECT 1 FROM deliveries WHERE replay_id = r.id AND state IN (${QUEUED}))`,
      [JSON.stringify(ids), UNTIL_SEQ_PENDING],
    ]);
  }

  private async finish({ id, state: before, events, deliveries }: FinishedReplay): Promise<void> {
    const state = before === 'running' ? 'done' : 'cancelled';
    const report = JSON.stringify(await tallyReplay(id, this.reader));
    const changes = { state, ended_at: this.clock.now(), report };
    await this.journal.change({ statements: [update('replays', id, changes)] });
    this.log.info({ replay: id, state, events, deliveries }, 'replay ended');
  }

  /** Cancels the newest deliveries to a target first, so that none is promoted in its lane meanwhile. */
  private async cancelStep(id: string): Promise<void> {
    const keys = await this.source.query<DeliveryKey[]>(
      `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
       WHERE replay_id = ? AND state IN (${QUEUED}) AND target_id = (
         SELECT target_id FROM deliveries WHERE replay_id = ? AND state IN (${QUEUED}) LIMIT 1)
       ORDER BY event_seq DESC, n DESC LIMIT ?`,
      [id, id, DELIVERIES_PER_STEP],
    );
    if (keys.length === 0) {
      this.cancelling.delete(id);
      this.enqueue(id);
      return;
    }
    const at = this.clock.now();
    const note = 'The replay was cancelled.';
    await this.journal.change({ end: keys.map((key) => ({ key, note, at })) });
  }
}
