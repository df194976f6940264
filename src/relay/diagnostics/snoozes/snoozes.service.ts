import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Snooze, SnoozeCreate } from '../../../contract/snooze';
import { inJsonList } from '../../database/reading/dialect';
import { Journal } from '../../database/journal/journal';
import { upsert } from '../../database/journal/statements';
import { setAuditSubject } from '../../ground/audit-context';
import { Clock } from '../../ground/clock';
import { isoOrNull } from '../../ground/iso-time';
import { RelayError } from '../../ground/relay-error';
import { SerialQueue } from '../../ground/serial-queue';
import { Signal } from '../../ground/signal';
import { TimeBounds } from '../../ground/time-bounds';

/** With more snoozes than this, the oldest are removed. */
const MAX_SNOOZES = 200;

/** `until` is on the scale of `TimeBounds.latest`. */
interface SnoozeRow {
  issue: string;
  at: number;
  until: number | null;
  operator: string | null;
  note: string | null;
}

/** What operators have hidden on the Overview, all in memory. */
@Injectable()
export class SnoozesService implements OnModuleInit {
  private rows: readonly SnoozeRow[] = [];
  private readonly queue = new SerialQueue();
  private readonly changes = new Signal();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  async onModuleInit(): Promise<void> {
    this.rows = await this.source.query<SnoozeRow[]>('SELECT * FROM snoozes ORDER BY at');
  }

  /** Those that have not ended, oldest first. */
  active(): Snooze[] {
    return this.current().map(({ at, until, ...texts }) => ({
      ...texts,
      at: new Date(at).toISOString(),
      until: isoOrNull(until === null ? null : this.bounds.toWallClock(until)),
    }));
  }

  /** @throws RelayError `snooze_already_over`, 422 */
  add({ issue, until: wanted, operator, note }: SnoozeCreate): Promise<void> {
    return this.queue.run(async () => {
      const at = this.clock.now();
      if (wanted !== null && wanted <= at) throw alreadyOver();
      setAuditSubject({ id: issue, name: null });
      const until = wanted === null ? null : this.bounds.fromWallClock(wanted);
      const row = { issue, at, until, operator: operator ?? null, note: note ?? null };
      const others = this.current().filter((one) => one.issue !== issue);
      await this.store(row, [...others.slice(1 - MAX_SNOOZES), row]);
    });
  }

  /** Shows it again. @throws RelayError `snooze_unknown`, 404 */
  remove(issue: string): Promise<void> {
    return this.queue.run(async () => {
      const rest = this.current().filter((one) => one.issue !== issue);
      if (rest.length === this.current().length)
        throw new RelayError('snooze_unknown', 404, `${issue} is not snoozed.`, {
          remedy: 'GET /api/v1/snoozes lists all snoozes.',
        });
      await this.store(null, rest);
    });
  }

  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  private current(): readonly SnoozeRow[] {
    const now = this.bounds.latest();
    return this.rows.filter(({ until }) => until === null || until > now);
  }

  /** Stores a new row, and removes all that are not to be kept. */
  private async store(row: SnoozeRow | null, kept: readonly SnoozeRow[]): Promise<void> {
    const issues = JSON.stringify(kept.map(({ issue }) => issue));
    await this.journal.change({
      statements: [
        ...(row === null ? [] : [upsert('snoozes', 'issue', { ...row })]),
        [`DELETE FROM snoozes WHERE issue NOT ${inJsonList('?', 'texts')}`, [issues]],
      ],
    });
    this.rows = kept;
    this.changes.emit();
  }
}

const alreadyOver = () =>
  new RelayError('snooze_already_over', 422, 'The snooze would end in the past.', {
    remedy: 'Set `until` to a time in the future, or to null.',
    errors: [{ path: 'until', message: 'must be in the future' }],
  });
