import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { drift as driftSchema, type Drift } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { insert } from '../database/journal/statements';
import { Log } from '../ground/log';
import { Signal } from '../ground/signal';

/** Older differences are dropped. */
const MAX_STORED = 20;

/** Differences found at Co-Pilot, newest first. */
@Injectable()
export class DriftStore implements OnModuleInit {
  private recent: Drift[] = [];
  private readonly recorded = new Signal<[Drift]>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ at: number }[]>(
      `SELECT at, field, "before", "after", outcome FROM subscription_drift ORDER BY id DESC LIMIT ${MAX_STORED}`,
    );
    this.recent = rows.map(({ at, ...rest }) =>
      driftSchema.parse({ ...rest, at: new Date(at).toISOString() }),
    );
  }

  all(): readonly Drift[] {
    return this.recent;
  }

  /** Calls `listener` for each difference, once it is stored. */
  onDrift(listener: (drift: Drift) => void): void {
    this.recorded.subscribe(listener);
  }

  /**
   * A difference that cannot be repaired is recorded once, not at every check.
   * @throws RelayError `storage_failed`
   */
  async record(found: Omit<Drift, 'at'>): Promise<void> {
    const last = this.recent.find(({ field }) => field === found.field);
    if (found.outcome === 'kept' && last?.outcome === 'kept' && last.after === found.after) return;
    // Always later than the previous one, even if the clock was set back: consumers detect new entries by time.
    const previousAt = this.recent[0] === undefined ? 0 : Date.parse(this.recent[0].at);
    const at = Math.max(this.clock.now(), previousAt + 1);
    const prune = `DELETE FROM subscription_drift WHERE id <= (SELECT max(id) FROM subscription_drift) - ${MAX_STORED}`;
    await this.journal.change({ statements: [insert('subscription_drift', { at, ...found }), [prune, []]] });
    const drift = { at: new Date(at).toISOString(), ...found };
    this.recent = [drift, ...this.recent].slice(0, MAX_STORED);
    this.log.warn({ action: 'drift', drift: true, ...found }, 'drift found at Co-Pilot');
    this.recorded.emit(drift);
  }
}
