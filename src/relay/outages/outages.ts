import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Outage } from '../../contract/outage';
import type { Page } from '../../contract/page';
import { Clock } from '../ground/clock';
import { Journal, type Statement } from '../database/journal';
import { SystemEvents } from '../events/system-events';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { describeOutage, type OutageRow } from './describe-outage';

/** The oldest ones beyond this are removed. */
const LIMIT = 1_000;

/** A period in which events may have been missed, or none arrived. Times are ms since 1970. */
export type OutageDraft = Pick<OutageRow, 'kind' | 'began_at' | 'ended_at' | 'usual_seconds'>;

/** The recorded outages. The beginning and end of each are published as system events. */
@Injectable()
export class Outages {
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly systemEvents: SystemEvents,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** The statements that store a new one; call `publish` once they are committed. */
  insertStatements({
    kind,
    began_at: beganAt,
    ended_at: endedAt,
    usual_seconds: usual,
  }: OutageDraft): Statement[] {
    const id = newId('out', this.clock.now(), this.random);
    this.log.warn({ outage: id, kind, began_at: beganAt, ended_at: endedAt }, 'outage');
    return [
      [
        'INSERT INTO outages(id, kind, began_at, ended_at, usual_seconds) VALUES (?, ?, ?, ?, ?)',
        [id, kind, beganAt, endedAt, usual],
      ],
      ['DELETE FROM outages WHERE number <= (SELECT max(number) FROM outages) - ?', [LIMIT]],
    ];
  }

  /** The current silence, if any. */
  async openSilence(): Promise<OutageRow | null> {
    const [open] = await this.source.query<OutageRow[]>(
      `SELECT * FROM outages WHERE kind = 'silence' AND ended_at IS NULL ORDER BY number DESC LIMIT 1`,
    );
    return open ?? null;
  }

  /** Newest first. */
  async list(limit: number, cursor: string | undefined): Promise<Page<Outage>> {
    const before = cursor === undefined ? null : (await this.find(cursor)).number;
    const rows = await this.source.query<OutageRow[]>(
      `SELECT * FROM outages WHERE number < coalesce(?, number + 1) ORDER BY number DESC LIMIT ?`,
      [before, limit + 1],
    );
    const now = this.clock.now();
    const page = rows.slice(0, limit).map((row) => describeOutage(row, now));
    return { data: page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  }

  /** Those that end after a time, oldest first. */
  async since(at: number): Promise<Outage[]> {
    const now = this.clock.now();
    const rows = await this.source.query<OutageRow[]>(
      'SELECT * FROM outages WHERE coalesce(ended_at, ?) > ? ORDER BY number',
      [now, at],
    );
    return rows.map((row) => describeOutage(row, now));
  }

  /** Dismisses an outage. @throws RelayError `outage_unknown`, 404 */
  async dismiss(id: string): Promise<Outage> {
    await this.find(id);
    const now = this.clock.now();
    await this.journal.change([
      ['UPDATE outages SET dismissed_at = coalesce(dismissed_at, ?) WHERE id = ?', [now, id]],
    ]);
    return describeOutage(await this.find(id), now);
  }

  /**
   * Publishes system events for what is recorded and not published yet; what fails is retried by the next
   * call.
   */
  publish(): Promise<void> {
    this.telling = this.telling
      .then(() => this.publishPending())
      .catch((error: unknown) => this.log.error({ err: error }, 'outages not published'));
    return this.telling;
  }

  private async publishPending(): Promise<void> {
    const unpublished = await this.source.query<OutageRow[]>(
      `SELECT * FROM outages WHERE told IS NOT (CASE WHEN ended_at IS NULL THEN 'began' ELSE 'ended' END) ORDER BY number`,
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
      await this.journal.change([['UPDATE outages SET told = ? WHERE id = ?', [state, id]]]);
    }
  }

  private async find(id: string): Promise<OutageRow> {
    const [row] = await this.source.query<OutageRow[]>('SELECT * FROM outages WHERE id = ?', [id]);
    if (row !== undefined) return row;
    throw new RelayError('outage_unknown', 404, `There is no outage ${id}.`, {
      remedy: 'GET /api/v1/outages lists the stored outages.',
    });
  }
}
