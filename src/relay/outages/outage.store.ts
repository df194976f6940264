import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Outage, OutageKind } from '../../contract/outage';
import type { Page } from '../../contract/page';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { inJsonList } from '../database/reading/dialect';
import { insert, type Statement } from '../database/journal/statements';
import { NOT_LEADER, storageFailed } from '../database/journal/work';
import { SystemEventsService } from '../events/system-events.service';
import { Leadership } from '../ground/leadership';
import { Log } from '../ground/log';
import { behindCursor, RelayError } from '../ground/relay-error';
import { describeOutage, type OutageDraft, type OutageRow } from './describe-outage';
import { GapEvents } from './gap-events';
import { SerialQueue } from '../ground/serial-queue';
import { cutPage } from '../ground/cut-page';

/** With more outages than this, the oldest are removed. */
const MAX_OUTAGES = 1_000;

/** The recorded outages. The place, the beginning and the end of each are published as system events. */
@Injectable()
export class OutageStore {
  private readonly publishing = new SerialQueue();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly systemEvents: SystemEventsService,
    private readonly gaps: GapEvents,
    private readonly leadership: Leadership,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Stores the gap event of a new outage. @returns the statements that store the outage; call `publish` once they are
   * committed
   * @throws RelayError `storage_failed`, 503
   */
  async add(draft: OutageDraft): Promise<Statement[]> {
    // A former leader, which was frozen, finds outages that there were not; unlike its changes, its events are stored.
    if (!this.leadership.holdsLease()) throw storageFailed(NOT_LEADER);
    const place = await this.gaps.publish(draft);
    const { kind, began_at, ended_at } = draft;
    this.log.warn({ outage: place.id, kind, began_at, ended_at }, 'outage');
    const [sql, parameters] = insert('outages', { ...draft, ...place });
    return [
      [`${sql} ON CONFLICT DO NOTHING`, parameters],
      ['DELETE FROM outages WHERE number <= (SELECT max(number) FROM outages) - ?', [MAX_OUTAGES]],
    ];
  }

  /** The one of a kind that has not ended, if any. */
  async open(kind: OutageKind): Promise<OutageRow | null> {
    const [open] = await this.source.query<OutageRow[]>(
      'SELECT * FROM outages WHERE kind = ? AND ended_at IS NULL ORDER BY number DESC LIMIT 1',
      [kind],
    );
    return open ?? null;
  }

  /** Stores when it ended, in ms since 1970, but not before it began. */
  async end({ id, began_at: beganAt }: OutageRow, at: number): Promise<void> {
    await this.journal.change({
      statements: [
        ['UPDATE outages SET ended_at = ? WHERE id = ? AND ended_at IS NULL', [Math.max(at, beganAt), id]],
      ],
    });
  }

  /** Newest first. */
  async list(limit: number, cursor: string | undefined): Promise<Page<Outage>> {
    const before = cursor === undefined ? null : (await behindCursor(() => this.find(cursor))).number;
    const rows = await this.source.query<OutageRow[]>(
      `SELECT * FROM outages WHERE number < coalesce(?, number + 1) ORDER BY number DESC LIMIT ?`,
      [before, limit + 1],
    );
    const now = this.clock.now();
    const outages = rows.map((row) => describeOutage(row, now));
    return cutPage(outages, limit);
  }

  /** The outages that ended after a time (ms since 1970) or have not ended, oldest first. */
  async endedAfter(at: number): Promise<Outage[]> {
    const now = this.clock.now();
    const rows = await this.source.query<OutageRow[]>(
      'SELECT * FROM outages WHERE coalesce(ended_at, ?) > ? ORDER BY number',
      [now, at],
    );
    return rows.map((row) => describeOutage(row, now));
  }

  /** All that are not dismissed, oldest first. */
  async undismissed(): Promise<Outage[]> {
    const rows = await this.source.query<OutageRow[]>(
      'SELECT * FROM outages WHERE dismissed_at IS NULL ORDER BY number',
    );
    return rows.map((row) => describeOutage(row, this.clock.now()));
  }

  /** Those of these that are stored. */
  async named(ids: readonly string[]): Promise<Outage[]> {
    const rows = await this.source.query<OutageRow[]>(
      `SELECT * FROM outages WHERE id ${inJsonList('?', 'texts')} ORDER BY number`,
      [JSON.stringify(ids)],
    );
    return rows.map((row) => describeOutage(row, this.clock.now()));
  }

  /** Dismisses an outage. @throws RelayError `outage_unknown`, 404 */
  async dismiss(id: string): Promise<Outage> {
    await this.find(id);
    const now = this.clock.now();
    await this.journal.change({
      statements: [['UPDATE outages SET dismissed_at = coalesce(dismissed_at, ?) WHERE id = ?', [now, id]]],
    });
    return describeOutage(await this.find(id), now);
  }

  /** Publishes the beginnings and ends of outages that are not published yet. The next call repeats what fails. */
  publish(): Promise<void> {
    return this.publishing
      .run(() => this.publishPending())
      .catch((error: unknown) => this.log.error({ err: error }, 'outages not published'));
  }

  private async publishPending(): Promise<void> {
    const unpublished = await this.source.query<OutageRow[]>(
      `SELECT * FROM outages WHERE published IS DISTINCT FROM (CASE WHEN ended_at IS NULL THEN 'began' ELSE 'ended' END) ORDER BY number`,
    );
    const now = this.clock.now();
    for (const row of unpublished) {
      const { id, kind, began_at: beganAt, ended_at: endedAt } = row;
      const state = endedAt === null ? 'began' : 'ended';
      const { sentence, ...outage } = describeOutage(row, now);
      const recorded = await this.systemEvents.record({
        type: `relay.${kind}`,
        at: endedAt ?? beganAt,
        data: { state, outage_id: id, began_at: outage.began_at, ended_at: outage.ended_at, sentence },
        occurrence: `${id} ${state}`,
      });
      if (!recorded) return;
      await this.journal.change({
        statements: [['UPDATE outages SET published = ? WHERE id = ?', [state, id]]],
      });
    }
  }

  private async find(id: string): Promise<OutageRow> {
    const [row] = await this.source.query<OutageRow[]>('SELECT * FROM outages WHERE id = ?', [id]);
    if (row !== undefined) return row;
    throw outageUnknown(id);
  }
}

export const outageUnknown = (id: string) =>
  new RelayError('outage_unknown', 404, `There is no outage ${id}.`, {
    remedy: 'GET /api/v1/outages lists the stored outages.',
  });
