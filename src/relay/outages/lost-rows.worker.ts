import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { Journal } from '../database/journal/journal';
import { UNREPORTED_GENERATIONS } from '../database/postgres/generation-sql';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { formatCount } from '../ground/format-count';
import { Leadership } from '../ground/leadership';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { OutageStore } from './outage.store';

const TICK_MS = 1_000;
const WEEK_MS = 7 * 24 * 3_600_000;

/** A generation of the server (see `Generations`). Times are ms since 1970. */
interface Generation {
  generation: number;
  began_at: number;
  kept_seq: number;
  seen_seq: number;
  lost_commits: number;
  /** When the newest event arrived that was kept; null if none was. */
  kept_at: number | null;
}

/** Reports what a PostgreSQL server lost that was acknowledged, such as in a failover to an asynchronous standby. */
@Injectable()
export class LostRowsWorker implements OnModuleDestroy {
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.warn({ err: error }, 'what the database has lost was not checked'),
  );

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly alerts: AlertsService,
    private readonly outages: OutageStore,
    private readonly leadership: Leadership,
    private readonly log: Log,
  ) {}

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.leadership.isShared) await this.checks.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.checks.stop();
  }

  private async check(): Promise<void> {
    for (const row of await this.source.query<Generation[]>(UNREPORTED_GENERATIONS)) {
      const { kept_seq: kept, seen_seq: seen, lost_commits: commits } = row;
      if (seen <= kept && commits === 0) await this.markReported(row);
      else await this.report(row);
    }
  }

  /** Once it is raised, it is stored by the next tick, and raised again if a crash prevents that. */
  private async report(row: Generation): Promise<void> {
    const alert = lostRowsAlert(row);
    const { type, subject, data } = alert;
    const active = this.alerts.active().find((one) => one.type === type && one.subject === subject);
    const isRaised = JSON.stringify({ ...active?.data, ...data }) === JSON.stringify(active?.data);
    if (active === undefined || !isRaised) return this.alerts.raise(alert);
    await this.markReported(row, active.count === 1);
    await this.outages.publish();
  }

  private async markReported(row: Generation, isOutage = false): Promise<void> {
    const { generation, began_at: at, kept_at: keptAt, seen_seq: seen, lost_commits: commits } = row;
    const outage = { kind: 'failover', began_at: keptAt ?? at, ended_at: at, usual_seconds: null } as const;
    await this.journal.change({
      statements: [
        [
          'UPDATE generations SET is_told = TRUE WHERE generation = ? AND seen_seq = ? AND lost_commits = ?',
          [generation, seen, commits],
        ],
        ...(isOutage ? await this.outages.add(outage) : []),
      ],
    });
  }
}

function lostRowsAlert(row: Generation): Alert & Required<Pick<Alert, 'data'>> {
  const { generation, began_at: at, kept_seq: kept, seen_seq: seen, lost_commits: commits } = row;
  const events = Math.max(0, seen - kept);
  const lost =
    events > 0
      ? `up to ${formatCount(events)} events that were acknowledged are lost, from sequence ${kept + 1} to ${seen}, and so are changes that were stored with them; later events have the same numbers`
      : `no event is lost, but ${formatCount(commits)} transactions are, with changes (such as of targets) and results of deliveries, which are sent again`;
  return {
    type: 'relay.database.rows_lost',
    subject: String(generation),
    severity: 'critical',
    sentence: `The PostgreSQL server was replaced or restored at ${new Date(at).toISOString()}, without what it had stored last: ${lost}.`,
    remedy: `${events > 0 ? 'Co-Pilot does not send them again: compare its data with what your targets have. ' : ''}Check what was changed here in the minutes before. A synchronous standby loses nothing (docs/scale-out.md).`,
    data: {
      from_seq: events > 0 ? kept + 1 : null,
      to_seq: events > 0 ? seen : null,
      events,
      transactions: commits,
    },
    quietAfterMs: WEEK_MS,
  };
}
