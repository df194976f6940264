import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { drift as driftSchema, type Drift } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Log } from '../ground/log';
import { DriftEntity } from './drift.entity';

/** So many are kept. */
const KEPT = 20;

/** What was found otherwise at Co-Pilot than it was left, newest first. */
@Injectable()
export class Drifts implements OnModuleInit {
  private kept: Drift[] = [];
  private readonly listeners: ((drift: Drift) => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.getRepository(DriftEntity).find({ order: { id: 'DESC' }, take: KEPT });
    this.kept = rows.map(({ at, ...rest }) => driftSchema.parse({ ...rest, at: new Date(at).toISOString() }));
  }

  all(): readonly Drift[] {
    return this.kept;
  }

  /** Told of each, once it is on disk. */
  onDrift(listener: (drift: Drift) => void): void {
    this.listeners.push(listener);
  }

  /** What could not be set right is told once, not with every look at it. @throws RelayError `storage_failed` */
  async record(found: Omit<Drift, 'at'>): Promise<void> {
    const last = this.kept.find(({ field }) => field === found.field);
    if (found.outcome === 'kept' && last?.outcome === 'kept' && last.after === found.after) return;
    // Later than the one before, whatever the clock was set to: by that it is known for news.
    const before = this.kept[0] === undefined ? 0 : Date.parse(this.kept[0].at);
    const at = Math.max(this.clock.now(), before + 1);
    const insert = this.source
      .createQueryBuilder()
      .insert()
      .into(DriftEntity)
      .values({ at, ...found })
      .getQueryAndParameters();
    const forget = `DELETE FROM subscription_drift WHERE id <= (SELECT max(id) FROM subscription_drift) - ${KEPT}`;
    await this.journal.change([insert, [forget, []]]);
    const drift = { at: new Date(at).toISOString(), ...found };
    this.kept = [drift, ...this.kept].slice(0, KEPT);
    this.log.warn({ act: 'drift', drift: true, ...found }, 'found otherwise at Co-Pilot than it was left');
    for (const listener of this.listeners) listener(drift);
  }
}
