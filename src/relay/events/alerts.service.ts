import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { AlertQuery, AlertSummary } from '../../contract/alert';
import type { Page } from '../../contract/page';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { update } from '../database/journal/statements';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Random } from '../ground/random';
import { TimeBounds } from '../ground/time-bounds';
import type { Alert, AlertType } from './alert';
import { resolvedAlerts, TRIM_HISTORY, unfinishedAlerts } from './alert-history';
import {
  dueEvent,
  mergeDeliveries,
  toSystemEvent,
  REOPENS_WITHIN_MS,
  upsertStatement,
  presentAlert,
  withDeliveries,
  type AlertRecord,
} from './alert-record';
import { SystemEventsService } from './system-events.service';
import { Signal } from '../ground/signal';
import { cutPage } from '../ground/cut-page';
import { unknownCursor } from '../ground/relay-error';

const TICK_MS = 1_000;
/** How long a changed count may stay unsaved; a crash loses those increments. */
const COUNT_SAVE_DELAY_MS = 60_000;
const IMMEDIATELY = -Infinity;
/** Further alerts are dropped. */
const TRACKED_LIMIT = 500;
const LIMIT_REACHED = 'relay.alerts.limit_reached';
const LIMIT_REACHED_QUIET_MS = 5 * 60_000;

/** What an alert says. */
type AlertText = Pick<AlertRecord, 'sentence' | 'data'>;

interface TrackedAlert extends AlertRecord {
  isRaisedInThisRun: boolean;
  /** Of the last system event about it. */
  publishedSeverity: Alert['severity'];
  /** When it was last raised in this run, by monotonic time: downtime does not count as quiet. */
  lastRaisedAt: number;
  /** When to save it, by monotonic time; null if it is saved. */
  saveAt: number | null;
}

/**
 * Tracks alerts until they are resolved, across restarts, and publishes system events about them: when they are raised,
 * resolved, and raised again in between, with the count after five minutes and then at most hourly.
 */
@Injectable()
export class AlertsService implements OnModuleInit, OnModuleDestroy {
  /**
   * By type and subject, in order of creation: alerts that are active, were resolved so recently that they may be
   * reopened, or have changes that are not published or saved yet.
   */
  private readonly tracked = new Map<string, TrackedAlert>();
  private readonly changes = new Signal();
  private readonly publishing = new NonOverlapping(
    () => this.publishDue(),
    (error) => this.log.error({ err: error }, 'alerts not published'),
  );

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly systemEvents: SystemEventsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const since = this.clock.now() - REOPENS_WITHIN_MS;
    for (const alert of await unfinishedAlerts(this.source, since))
      this.tracked.set(keyOf(alert.type, alert.subject), {
        ...alert,
        isRaisedInThisRun: false,
        publishedSeverity: alert.severity,
        lastRaisedAt: this.clock.monotonic(),
        saveAt: null,
      });
  }

  /** Never throws, and only changes memory. @param count how often it happened since it was last raised */
  raise(alert: Alert, count = 1): void {
    const known = this.tracked.get(keyOf(alert.type, alert.subject));
    if (known === undefined) this.create(alert, count);
    else this.update(known, alert, count);
    this.changes.emit();
  }

  /** Calls `listener` on every `raise` and on every resolved alert, so it must be fast. */
  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  /** Call it whenever the condition is found not to hold; without an active alert it does nothing. */
  resolve(type: AlertType, subject: string, sentence: string): void {
    const known = this.tracked.get(keyOf(type, subject));
    if (known === undefined || known.resolved_at !== null) return;
    known.resolved_at = this.clock.now();
    known.resolution = sentence;
    known.saveAt = IMMEDIATELY;
    this.log.info({ alert: known.id, type, subject, resolution: sentence }, 'alert resolved');
    this.changes.emit();
  }

  /** Newest first. */
  active(): AlertSummary[] {
    return [...this.tracked.values()]
      .filter((alert) => alert.resolved_at === null)
      .map((alert) => presentAlert(alert, alert.data))
      .toReversed();
  }

  /** Newest first. @throws RelayError `cursor_unknown`, 400, also once the cursor's alert has left the list */
  async list({ state, limit, cursor }: AlertQuery): Promise<Page<AlertSummary>> {
    const found =
      state === 'active' ? this.activeAfter(cursor) : await resolvedAlerts(this.source, cursor, limit + 1);
    return cutPage(found, limit);
  }

  /**
   * Changes what alerts say that are active or have ended, because what they quote was erased.
   * @param change returns null for an alert that stays as it is
   */
  async rewrite(change: (said: AlertText) => AlertText | null): Promise<void> {
    for (const alert of this.tracked.values()) Object.assign(alert, change(alert));
    const rows = await this.source.query<{ id: string; sentence: string; data: string }[]>(
      'SELECT id, sentence, data FROM alerts',
    );
    const statements = rows.flatMap(({ id, sentence, data }) => {
      const changed = change({ sentence, data: JSON.parse(data) as AlertRecord['data'] });
      return changed === null
        ? []
        : [update('alerts', id, { ...changed, data: JSON.stringify(changed.data) })];
    });
    if (statements.length > 0) await this.journal.change({ statements });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.publishing.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.publishing.stop();
    await this.save([...this.tracked.values()].filter(({ saveAt }) => saveAt !== null)).catch(
      (error: unknown) => this.log.error({ err: error }, 'alerts not saved'),
    );
  }

  private create(alert: Alert, count: number): void {
    const { type, subject, severity, sentence, remedy, data = {}, deliveries, quietAfterMs = null } = alert;
    if (this.tracked.size >= TRACKED_LIMIT && type !== LIMIT_REACHED) return this.raiseLimitReached();
    const now = this.clock.now();
    const id = newId('alr', now, this.random);
    this.tracked.set(keyOf(type, subject), {
      id,
      type,
      subject,
      severity,
      sentence,
      remedy,
      data: withDeliveries(data, deliveries),
      count,
      quiet_after_ms: quietAfterMs,
      since: now,
      last_at: now,
      resolved_at: null,
      resolution: null,
      events_published: 0,
      published_at: this.bounds.latest(),
      published_count: 0,
      published_state: null,
      isRaisedInThisRun: true,
      publishedSeverity: severity,
      lastRaisedAt: this.clock.monotonic(),
      saveAt: IMMEDIATELY,
    });
    this.log.warn({ alert: id, type, subject, sentence }, 'alert');
  }

  private update(known: TrackedAlert, alert: Alert, count: number): void {
    const { severity, sentence, remedy, quietAfterMs = null } = alert;
    const data = withDeliveries(alert.data ?? {}, alert.deliveries);
    const monotonic = this.clock.monotonic();
    const isReopened = known.resolved_at !== null;
    Object.assign(known, {
      severity,
      sentence,
      remedy,
      data: known.count > known.published_count ? mergeDeliveries(known.data, data) : data,
      quiet_after_ms: quietAfterMs,
      count: known.count + count,
      last_at: this.clock.now(),
      isRaisedInThisRun: true,
      lastRaisedAt: monotonic,
      resolved_at: null,
      resolution: null,
      saveAt: Math.min(known.saveAt ?? Infinity, isReopened ? IMMEDIATELY : monotonic + COUNT_SAVE_DELAY_MS),
    } satisfies Partial<TrackedAlert>);
  }

  private raiseLimitReached(): void {
    this.raise({
      type: LIMIT_REACHED,
      subject: '',
      severity: 'critical',
      sentence: `${TRACKED_LIMIT} alerts are active or were resolved in the last five minutes; further ones are not recorded.`,
      remedy: 'Follow the remedies of the active alerts: GET /api/v1/alerts lists them.',
      quietAfterMs: LIMIT_REACHED_QUIET_MS,
    });
  }

  private async publishDue(): Promise<void> {
    const now = this.clock.monotonic();
    for (const { type, subject, quiet_after_ms: quietAfterMs, lastRaisedAt } of this.tracked.values())
      if (quietAfterMs !== null && now - lastRaisedAt >= quietAfterMs)
        this.resolve(type, subject, `It has not happened for ${Math.round(quietAfterMs / 60_000)} min.`);

    // Saved before their events are published: after a crash, these are published again with the same `occurrence`.
    const alerts = [...this.tracked.values()];
    await this.save(alerts.filter(({ saveAt }) => saveAt !== null && saveAt <= now));
    // If one cannot be stored, neither can the others: the next tick tries again.
    for (const alert of alerts) if (!(await this.publishOne(alert))) break;
    await this.save(alerts.filter(({ saveAt }) => saveAt !== null && saveAt <= now));
    this.dropResolved(this.clock.now());
  }

  /** @returns false if an event was due and could not be stored */
  private async publishOne(alert: TrackedAlert): Promise<boolean> {
    const now = this.bounds.latest();
    const isEscalated = alert.severity === 'critical' && alert.publishedSeverity !== 'critical';
    const kind = dueEvent(alert, now, isEscalated);
    if (kind === null) return true;
    const { count, data, severity, published_count: publishedCount } = alert;
    const event = toSystemEvent(alert, kind);
    // Set before the event is stored: deliveries of a raise during that time belong to the next event.
    alert.published_count = count;
    const outcome = await this.systemEvents.record(event);
    // Stored before a crash, an event lacks what was raised since the restart: that belongs to the next one.
    if (outcome === null || (outcome === 'duplicate' && alert.isRaisedInThisRun)) {
      alert.published_count = publishedCount;
      if (alert.data !== data) alert.data = mergeDeliveries(data, alert.data);
    }
    if (outcome === null) return false;
    alert.events_published += 1;
    alert.published_at = now;
    alert.publishedSeverity = severity;
    alert.published_state = kind === 'resolved' ? 'resolved' : 'active';
    alert.saveAt = IMMEDIATELY;
    return true;
  }

  private async save(alerts: TrackedAlert[]): Promise<void> {
    if (alerts.length === 0) return;
    const statements = alerts.map(
      ({
        isRaisedInThisRun: _isRaised,
        publishedSeverity: _publishedSeverity,
        lastRaisedAt: _lastRaisedAt,
        saveAt: _saveAt,
        ...alert
      }) => upsertStatement(alert),
    );
    for (const alert of alerts) alert.saveAt = null;
    try {
      await this.journal.change({ statements: [...statements, TRIM_HISTORY] });
    } catch (error) {
      for (const alert of alerts) alert.saveAt = IMMEDIATELY;
      throw error;
    }
  }

  private dropResolved(now: number): void {
    for (const [key, { resolved_at: resolvedAt, published_state: publishedState, saveAt }] of this.tracked) {
      const isOver = resolvedAt !== null && now - resolvedAt >= REOPENS_WITHIN_MS;
      if (isOver && publishedState === 'resolved' && saveAt === null) this.tracked.delete(key);
    }
  }

  private activeAfter(cursor: string | undefined): AlertSummary[] {
    const all = this.active();
    if (cursor === undefined) return all;
    const index = all.findIndex(({ id }) => id === cursor);
    if (index === -1) throw unknownCursor();
    return all.slice(index + 1);
  }
}

const keyOf = (type: string, subject: string) => `${type} ${subject}`;
