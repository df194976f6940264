import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal } from '../database/journal/journal';
import { upsert, type Statement } from '../database/journal/statements';
import { isUnsigned } from '../events/event.entity';
import { TimeBounds } from '../ground/time-bounds';
import { QUARTER_MS, WEEK_MS, WEEKS, type CountsByQuarter } from './detect-silence';
import { Signal } from '../ground/signal';

/** How long counts are kept: for the weeks to compare, and one more day in case the clock is set. */
const KEPT_QUARTERS = (WEEKS * WEEK_MS) / QUARTER_MS + 96;

/**
 * Counts notifications by quarter of an hour, in memory, as they are committed. The counts are stored with each
 * heartbeat; a crash loses those of the last seconds, which is negligible.
 */
@Injectable()
export class TrafficBaseline implements OnModuleInit {
  private readonly byQuarter = new Map<number, number>();
  private readonly unsaved = new Set<number>();
  private lastAt: number | null = null;
  private readonly notifications = new Signal<[at: number]>();

  constructor(
    private readonly source: DataSource,
    private readonly bounds: TimeBounds,
    journal: Journal,
  ) {
    journal.onCommit(({ events }) => {
      for (const { draft } of events) if (!isUnsigned(draft)) this.count(draft.receivedAt);
    });
  }

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ quarter: number; notifications: number }[]>(
      'SELECT quarter, notifications FROM traffic_baseline',
    );
    for (const { quarter, notifications } of rows) this.byQuarter.set(quarter, notifications);
    const [last] = await this.source.query<{ at: number }[]>(
      `SELECT received_at AS at FROM events WHERE signature_header <> '' ORDER BY seq DESC LIMIT 1`,
    );
    this.lastAt = last?.at ?? null;
  }

  get counts(): CountsByQuarter {
    return this.byQuarter;
  }

  /** When the last notification arrived, in ms since 1970; null before the first. */
  get lastNotificationAt(): number | null {
    return this.lastAt;
  }

  /** Calls `listener` for each notification, once it is stored. */
  onNotification(listener: (at: number) => void): void {
    this.notifications.subscribe(listener);
  }

  /** Statements for the counts not stored yet. Call `saved` once they are committed. */
  takeUnsaved(): { statements: Statement[]; saved: () => void } {
    const oldest = Math.floor(this.bounds.allOlderThan(KEPT_QUARTERS * QUARTER_MS) / QUARTER_MS);
    for (const quarter of this.byQuarter.keys()) if (quarter < oldest) this.byQuarter.delete(quarter);
    const rows = [...this.unsaved].map((quarter) => [quarter, this.byQuarter.get(quarter) ?? 0] as const);
    if (rows.length === 0) return { statements: [], saved: () => undefined };
    const statements: Statement[] = [
      ...rows.map(([quarter, notifications]) =>
        upsert('traffic_baseline', 'quarter', { quarter, notifications }),
      ),
      ['DELETE FROM traffic_baseline WHERE quarter < ?', [oldest]],
    ];
    const saved = () => {
      for (const [quarter, count] of rows)
        if (this.byQuarter.get(quarter) === count) this.unsaved.delete(quarter);
    };
    return { statements, saved };
  }

  private count(at: number): void {
    const quarter = Math.floor(at / QUARTER_MS);
    this.byQuarter.set(quarter, (this.byQuarter.get(quarter) ?? 0) + 1);
    this.unsaved.add(quarter);
    this.lastAt = at;
    this.notifications.emit(at);
  }
}
