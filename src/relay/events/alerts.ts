import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { AlertQuery, AlertSummary } from '../../contract/alert';
import type { Page } from '../../contract/page';
import { Clock } from '../ground/clock';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Random } from '../ground/random';
import { TimeBounds } from '../ground/time-bounds';
import {
  dueEvent,
  eventOf,
  REOPENS_WITHIN_MS,
  storing,
  summaryOf,
  type AlertRecord,
  type StoredAlert,
} from './alert-record';
import { SystemEvents } from './system-events';

/** A condition that an operator has to hear of. */
export interface Alert {
  /**
   * Type of the event that tells it, `relay.<area>.<condition>`. With `subject` it names the alert: raised again while it is
   * active, it is counted.
   */
  type: `relay.${string}`;
  /** What it concerns: a target's id, a cause, or `''` for the daemon itself. */
  subject: string;
  severity: AlertSummary['severity'];
  /** What happened and why. */
  sentence: string;
  /** What to do. */
  remedy: string;
  /** Goes into the event beside the above. */
  data?: Record<string, unknown>;
  /** Resolved by itself once it was not raised for so long: for a happening. Absent for a state, which lasts until `resolve`. */
  quietAfterMs?: number;
}

const TICK_MS = 1_000;
/** A count alone is stored so late at most; what a crash takes of it is missing in the count. */
const COUNT_STORED_WITHIN_MS = 60_000;
const AT_ONCE = -Infinity;
const ACTIVE_LIMIT = 500;
const HISTORY_LIMIT = 1_000;
const FULL = 'relay.alerts.limit_reached';

interface StoredAlertState extends AlertRecord {
  /** When it was last raised in this run, by monotonic time: while the daemon is stopped nothing grows quiet. */
  heardAt: number;
  /** When it is to be stored, by monotonic time; null where the disk has it. */
  storeAt: number | null;
}

/**
 * Keeps what is wrong until it is right again, and tells it: by an event at once, by one with a count after five minutes and
 * then every hour while it is raised again, and by one when it is resolved. Active alerts outlive a restart.
 */
@Injectable()
export class Alerts implements OnModuleInit, OnModuleDestroy {
  /** The active ones and those that may be raised again, by type and subject, in the order in which they began. */
  private readonly kept = new Map<string, StoredAlertState>();
  private readonly listeners: (() => void)[] = [];
  private readonly telling = new NonOverlapping(
    () => this.publishDue(),
    (error) => this.log.error({ err: error }, 'alerts'),
  );

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly own: SystemEvents,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const now = this.clock.now();
    const rows = await this.source.query<(StoredAlert & { number: number })[]>(
      `SELECT * FROM alerts WHERE resolved_at IS NULL OR resolved_at > ? OR told_state IS NOT 'resolved' ORDER BY number`,
      [now - REOPENS_WITHIN_MS],
    );
    for (const { number: _, data, ...row } of rows) {
      const heardAt = this.clock.monotonic();
      const kept = { ...row, data: JSON.parse(data) as StoredAlertState['data'], heardAt, storeAt: null };
      this.kept.set(keyOf(row.type, row.subject), kept);
    }
  }

  /** `count`: how often it happened since it was last raised. Never throws; what it takes is a look into a map. */
  raise(alert: Alert, count = 1): void {
    const kept = this.kept.get(keyOf(alert.type, alert.subject));
    if (kept === undefined) this.begin(alert, count);
    else this.repeat(kept, alert, count);
    this.notifyChanged();
  }

  /** Told at each call that changes what is active, so as often as something is raised: a listener has to be quick. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** To be called whenever the condition is seen not to hold: nothing happens where the alert is not active. */
  resolve(type: Alert['type'], subject: string, sentence: string): void {
    const kept = this.kept.get(keyOf(type, subject));
    if (kept === undefined || kept.resolved_at !== null) return;
    kept.resolved_at = this.clock.now();
    kept.resolution = sentence;
    kept.storeAt = AT_ONCE;
    this.log.info({ alert: kept.id, type, subject, resolution: sentence }, 'alert resolved');
    this.notifyChanged();
  }

  /** Newest first. */
  active(): AlertSummary[] {
    return [...this.kept.values()]
      .filter((alert) => alert.resolved_at === null)
      .map((alert) => summaryOf(alert, alert.data))
      .toReversed();
  }

  /** Newest first. */
  async list({ state, limit, cursor }: AlertQuery): Promise<Page<AlertSummary>> {
    const page = state === 'active' ? this.activeAfter(cursor) : await this.resolvedAfter(cursor, limit + 1);
    const data = page.slice(0, limit);
    return { data, next_cursor: page.length > limit ? (data.at(-1)?.id ?? null) : null };
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.telling.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.telling.stop();
    await this.store([...this.kept.values()].filter(({ storeAt }) => storeAt !== null)).catch(
      (error: unknown) => this.log.error({ err: error }, 'alerts not stored'),
    );
  }

  private notifyChanged(): void {
    for (const listener of this.listeners) listener();
  }

  private begin(alert: Alert, count: number): void {
    const { type, subject, severity, sentence, remedy, data = {}, quietAfterMs = null } = alert;
    if (this.kept.size >= ACTIVE_LIMIT && type !== FULL) return this.raiseFull();
    const now = this.clock.now();
    const id = newId('alr', now, this.random);
    this.kept.set(keyOf(type, subject), {
      id,
      type,
      subject,
      severity,
      sentence,
      remedy,
      data,
      count,
      quiet_after_ms: quietAfterMs,
      since: now,
      last_at: now,
      resolved_at: null,
      resolution: null,
      told: 0,
      told_at: this.bounds.latest(),
      told_count: 0,
      told_state: null,
      heardAt: this.clock.monotonic(),
      storeAt: AT_ONCE,
    });
    this.log.warn({ alert: id, type, subject, sentence }, 'alert');
  }

  private repeat(stored: StoredAlertState, alert: Alert, count: number): void {
    const { severity, sentence, remedy, data = {}, quietAfterMs = null } = alert;
    const now = this.clock.now();
    const monotonic = this.clock.monotonic();
    const reopened = stored.resolved_at !== null;
    Object.assign(stored, { severity, sentence, remedy, data, quiet_after_ms: quietAfterMs });
    Object.assign(stored, { last_at: now, heardAt: monotonic, resolved_at: null, resolution: null });
    stored.count += count;
    stored.storeAt = Math.min(
      stored.storeAt ?? Infinity,
      reopened ? AT_ONCE : monotonic + COUNT_STORED_WITHIN_MS,
    );
  }

  private raiseFull(): void {
    this.raise({
      type: FULL,
      subject: '',
      severity: 'critical',
      sentence: `More than ${ACTIVE_LIMIT} alerts are active; further ones are not kept.`,
      remedy: 'Look after those that are listed: GET /api/v1/alerts.',
      quietAfterMs: REOPENS_WITHIN_MS,
    });
  }

  private async publishDue(): Promise<void> {
    const now = this.clock.monotonic();
    for (const { type, subject, quiet_after_ms: quietAfterMs, heardAt } of this.kept.values())
      if (quietAfterMs !== null && now - heardAt >= quietAfterMs)
        this.resolve(
          type,
          subject,
          `It has not happened again for ${Math.round(quietAfterMs / 60_000)} min.`,
        );

    // What is told is on disk before: after a crash it is told under the same number, so once.
    const alerts = [...this.kept.values()];
    await this.store(alerts.filter(({ storeAt }) => storeAt !== null && storeAt <= now));
    for (const alert of alerts) if (!(await this.publishOne(alert))) break;
    await this.store(alerts.filter(({ storeAt }) => storeAt !== null && storeAt <= now));
    this.forget(this.clock.now());
  }

  /** @returns whether what was due is on disk */
  private async publishOne(alert: StoredAlertState): Promise<boolean> {
    const now = this.bounds.latest();
    const kind = dueEvent(alert, now);
    if (kind === null) return true;
    const { count } = alert;
    if (!(await this.own.record(eventOf(alert, kind)))) return false;
    alert.told += 1;
    alert.told_at = now;
    alert.told_count = count;
    alert.told_state = kind === 'resolved' ? 'resolved' : 'active';
    alert.storeAt = AT_ONCE;
    return true;
  }

  private async store(alerts: StoredAlertState[]): Promise<void> {
    if (alerts.length === 0) return;
    const statements = alerts.map(({ heardAt: _heardAt, storeAt: _storeAt, ...alert }) => storing(alert));
    for (const alert of alerts) alert.storeAt = null;
    try {
      await this.journal.change([...statements, FORGET_OLDEST]);
    } catch (error) {
      for (const alert of alerts) alert.storeAt = AT_ONCE;
      throw error;
    }
  }

  private forget(now: number): void {
    for (const [key, { resolved_at: resolvedAt, told_state: toldState, storeAt }] of this.kept) {
      const isOver = resolvedAt !== null && now - resolvedAt >= REOPENS_WITHIN_MS;
      if (isOver && toldState === 'resolved' && storeAt === null) this.kept.delete(key);
    }
  }

  private activeAfter(cursor: string | undefined): AlertSummary[] {
    const all = this.active();
    return cursor === undefined ? all : all.slice(all.findIndex(({ id }) => id === cursor) + 1);
  }

  private async resolvedAfter(cursor: string | undefined, limit: number): Promise<AlertSummary[]> {
    const rows = await this.source.query<StoredAlert[]>(
      `SELECT * FROM alerts WHERE resolved_at IS NOT NULL
         AND number < coalesce((SELECT number FROM alerts WHERE id = ?), number + 1) ORDER BY number DESC LIMIT ?`,
      [cursor ?? null, limit],
    );
    return rows.map((row) => summaryOf(row, JSON.parse(row.data) as Record<string, unknown>));
  }
}

const FORGET_OLDEST: Statement = [
  'DELETE FROM alerts WHERE resolved_at IS NOT NULL AND number <= (SELECT max(number) FROM alerts) - ?',
  [HISTORY_LIMIT],
];

const keyOf = (type: string, subject: string) => `${type} ${subject}`;
