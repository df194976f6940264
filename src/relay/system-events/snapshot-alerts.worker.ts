import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { SNAPSHOT_HOLDERS, type SnapshotHolder } from '../database/postgres/snapshots-sql';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { Clock } from '../ground/clock';
import { Leadership } from '../ground/leadership';
import { Log } from '../ground/log';
import { isoOrNull } from '../ground/iso-time';

const CHECK_INTERVAL_MS = 30_000;
const OLD_MS = 5 * 60_000;

const TYPE = 'relay.database.old_snapshot';

/** Of SQL: the database accepts any character in it. */
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

const REMEDIES: Record<SnapshotHolder['kind'], (name: string) => string> = {
  session: (pid) =>
    `Wait for its end, or end it: SELECT pg_terminate_backend(${pid}). If it is a backup, use pg_basebackup instead of pg_dump; if it does nothing, set idle_in_transaction_session_timeout; if it is a standby, long reports run there with hot_standby_feedback on.`,
  'prepared transaction': (gid) =>
    `End it: ROLLBACK PREPARED ${literal(gid)}, or COMMIT PREPARED ${literal(gid)}.`,
  'replication slot': (name) =>
    `Check its standby, on which a long report may run with hot_standby_feedback on. If nobody uses the slot: SELECT pg_drop_replication_slot(${literal(name)}).`,
};

/**
 * Raises an alert while something holds a snapshot of the database in PostgreSQL for long: then finished deliveries
 * stay where the head of a lane is looked for, which takes longer and longer.
 */
@Injectable()
export class SnapshotAlertsWorker {
  /** By holder, its snapshot, and since when it was seen, by monotonic time. */
  private seen = new Map<string, { horizon: string; at: number }>();

  constructor(
    private readonly source: DataSource,
    private readonly alerts: AlertsService,
    private readonly leadership: Leadership,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  async tick(): Promise<void> {
    if (!this.leadership.isShared) return;
    try {
      this.check(await this.source.query<SnapshotHolder[]>(SNAPSHOT_HOLDERS));
    } catch (error) {
      this.log.warn({ err: error }, 'the age of the snapshots of the database was not checked');
    }
  }

  private check(holders: readonly SnapshotHolder[]): void {
    const now = this.clock.monotonic();
    const former = this.seen;
    this.seen = new Map();
    for (const { kind, name, horizon } of holders) {
      const known = former.get(`${kind} ${name}`);
      this.seen.set(`${kind} ${name}`, known?.horizon === horizon ? known : { horizon, at: now });
    }
    const old = holders.find(({ kind, name }) => now - this.seen.get(`${kind} ${name}`)!.at >= OLD_MS);
    if (old !== undefined) this.alerts.raise(snapshotAlert(old));
    else this.alerts.resolve(TYPE, '', 'No snapshot is older than five minutes.');
  }
}

function snapshotAlert({ kind, name, application, since }: SnapshotHolder): Alert {
  const began = isoOrNull(since);
  return {
    type: TYPE,
    subject: '',
    severity: 'warning',
    sentence: `The ${kind} ${name}${application === null ? '' : ` of ${application}`} of the PostgreSQL server holds a snapshot for more than five minutes${began === null ? '' : `, since ${began}`}: until it ends, former rows cannot be removed, and the deliveries of a lane take longer and longer.`,
    remedy: REMEDIES[kind](name),
    data: { kind, name, application, since: began },
  };
}
