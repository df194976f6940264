import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Reader } from '../database/reader';
import type { DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { NOT_FROZEN } from './replay-row';
import { tallyReplay } from './tally-replay';

/** Replays that are looked at, and ended, in one step. */
const LOOKED = 500;

/** Deliveries of a replay that are cancelled in one step, and in how many replays. */
const CANCELLED = 100;
const CANCELLED_REPLAYS = 5;

const OPEN = `'waiting', 'pending', 'retrying'`;

interface Through {
  id: string;
  state: 'running' | 'cancelling';
  events: number;
  deliveries: number;
}

/**
 * Ends replays of which everything has its outcome: looked at only once something of them has come to its end, so that those
 * that wait for a target cost nothing, however many they are.
 */
@Injectable()
export class ReplayEndings {
  private readonly candidates = new Set<string>();
  private readonly cancelling = new Set<string>();

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Nothing of it may be open any more. */
  consider(id: string): void {
    this.candidates.add(id);
  }

  /** As above, of whichever has not ended. */
  async considerAll(): Promise<void> {
    const rows = await this.source.query<{ id: string }[]>('SELECT id FROM replays WHERE ended_at IS NULL');
    for (const { id } of rows) this.consider(id);
  }

  /** What is open of it is cancelled from now on. */
  cancel(id: string): void {
    this.cancelling.add(id);
  }

  /** One step. @returns the replays that ended */
  async pass(): Promise<string[]> {
    await Promise.all([...this.cancelling].slice(0, CANCELLED_REPLAYS).map((id) => this.cancelSome(id)));
    const looked = [...this.candidates].slice(0, LOOKED);
    if (looked.length === 0) return [];
    // What comes to its end from now on is looked at again.
    for (const id of looked) this.candidates.delete(id);
    try {
      const through = await this.through(looked);
      await Promise.all(through.map((one) => this.end(one)));
      return through.map(({ id }) => id);
    } catch (error) {
      for (const id of looked) this.consider(id);
      throw error;
    }
  }

  private through(ids: readonly string[]): Promise<Through[]> {
    return this.reader.all<Through>([
      `SELECT id, state, events, deliveries FROM replays r WHERE id IN (SELECT value FROM json_each(?))
       AND (state = 'cancelling' OR (state = 'running' AND position >= until_seq AND until_seq <> ?))
       AND NOT EXISTS (
         SELECT 1 FROM deliveries WHERE replay_id = r.id AND state IN (${OPEN}))`,
      [JSON.stringify(ids), NOT_FROZEN],
    ]);
  }

  private async end({ id, state: before, events, deliveries }: Through): Promise<void> {
    const state = before === 'running' ? 'done' : 'cancelled';
    const report = await tallyReplay(id, this.reader);
    await this.journal.change([
      [
        'UPDATE replays SET state = ?, ended_at = ?, report = ? WHERE id = ?',
        [state, this.clock.now(), JSON.stringify(report), id],
      ],
    ]);
    this.log.info({ replay: id, state, events, deliveries }, 'replay ended');
  }

  /** From the last one of a target on, so that none comes forward in its lane on the way. */
  private async cancelSome(id: string): Promise<void> {
    const keys = await this.source.query<DeliveryKey[]>(
      `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
       WHERE replay_id = ? AND state IN (${OPEN}) AND target_id = (
         SELECT target_id FROM deliveries WHERE replay_id = ? AND state IN (${OPEN}) LIMIT 1)
       ORDER BY event_seq DESC, n DESC LIMIT ?`,
      [id, id, CANCELLED],
    );
    if (keys.length === 0) {
      this.cancelling.delete(id);
      this.consider(id);
      return;
    }
    const at = this.clock.now();
    const note = 'The replay was cancelled.';
    await this.journal.change(
      [],
      [],
      keys.map((key) => ({ key, note, at })),
    );
  }
}
