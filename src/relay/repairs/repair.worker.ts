import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { Journal } from '../database/journal/journal';
import { insert, update, type Statement } from '../database/journal/statements';
import { inJsonList } from '../database/reading/dialect';
import { beginKnowingDeals, knowDeals } from '../events/entities/known-deals';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import type { OnListening } from '../ground/on-listening';
import { parseBody } from '../ground/parse-body';
import { recordName } from '../ground/record-name';
import { TimeBounds } from '../ground/time-bounds';
import { Settings } from '../settings/settings';
import { PreviewedTargets } from './previewed-targets';
import { ReadingFailed, RepairReading, type Candidates, type FoundItem } from './reading/repair-reading';
import { RepairApplying } from './repair-applying';
import { BUSY, parseRepair, type RepairRow } from './repair-row';

const HOUR_MS = 3_600_000;
const ITEMS_KEPT_MS = 7 * 24 * HOUR_MS;
const REMOVED_AT_ONCE = 1_000;
const RETRY_MS = 1_000;

/**
 * Reads and applies repairs, one at a time. After a restart, a reading starts again; what was applied is not applied
 * twice.
 */
@Injectable()
export class RepairWorker implements OnListening, OnModuleDestroy {
  private running: { row: RepairRow; abort: AbortController; ended: Promise<void> } | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly reading: RepairReading,
    private readonly applying: RepairApplying,
    private readonly targets: PreviewedTargets,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  onListening(): void {
    void this.resume().catch((error: unknown) => this.log.error({ err: error }, 'repair not continued'));
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  /** The repair that is in progress, with its progress so far. */
  get current(): RepairRow | null {
    return this.running?.row ?? null;
  }

  /** Runs a stored repair in the background. */
  run(row: RepairRow): void {
    const abort = new AbortController();
    const ended = this.runUntilEnd(row, abort.signal).finally(() => (this.running = null));
    this.running = { row, abort, ended };
  }

  /** Ends what is in progress, without a change of its state. */
  async stop(): Promise<void> {
    this.running?.abort.abort();
    await this.running?.ended;
  }

  /** Removes the items of old repairs. */
  @Interval(HOUR_MS)
  async removeItems(): Promise<void> {
    const before = this.bounds.allOlderThan(ITEMS_KEPT_MS);
    const statement: Statement = [
      `DELETE FROM repair_items WHERE (repair, entity) IN (SELECT i.repair, i.entity FROM repair_items i
         JOIN repairs r ON r.number = i.repair WHERE coalesce(r.ended_at, r.read_at) < ? LIMIT ?) RETURNING entity`,
      [before, REMOVED_AT_ONCE],
    ];
    try {
      let removed = REMOVED_AT_ONCE;
      while (removed === REMOVED_AT_ONCE)
        removed = (await this.journal.change({ statements: [statement] })).rows[0]!.length;
    } catch (error) {
      this.log.error({ err: error }, 'items of old repairs not removed');
    }
  }

  private async resume(): Promise<void> {
    const [stored] = await this.source.query<Record<string, unknown>[]>(
      `SELECT * FROM repairs WHERE state ${inJsonList('?', 'texts')}`,
      [JSON.stringify(BUSY)],
    );
    if (stored !== undefined && this.running === null) this.run(parseRepair(stored));
  }

  private async runUntilEnd(row: RepairRow, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        return await (row.state === 'applying' ? this.apply(row, signal) : this.read(row, signal));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ReadingFailed) await this.fail(row, error);
        else this.log.error({ err: error, repair: row.id }, 'repair interrupted; it is tried again');
        if (row.ended_at !== null) return;
        await wait(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async read(row: RepairRow, signal: AbortSignal): Promise<void> {
    const startedAt = this.clock.now();
    const isBaseline = row.purpose === 'baseline';
    await this.journal.change({
      statements: [
        ['DELETE FROM repair_items WHERE repair = ?', [row.number]],
        ['UPDATE repairs SET state = ? WHERE id = ?', ['reading', row.id]],
        ...(isBaseline ? [beginKnowingDeals(startedAt)] : []),
      ],
    });
    row.state = 'reading';
    const found = await this.reading.read(row, signal);
    await this.change(row, { state: 'settling', read_at: this.clock.now() });
    if (isBaseline) return this.learn(row, startedAt, found, signal);
    const targets = await this.targets.counter(row);
    for await (const items of this.reading.settle(row, found, signal)) {
      for (const item of items) targets.count(item);
      await this.journal.change({ statements: items.map((item) => insertItem(row, item)) });
    }
    row.progress.targets = targets.result();
    await this.change(row, { state: 'previewed' });
    this.log.info({ repair: row.id, ...row.progress.counts }, 'repair previewed');
  }

  /** Stores the states of deals of which nothing is known. */
  private async learn(
    row: RepairRow,
    startedAt: number,
    found: Candidates,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const items of this.reading.settle(row, found, signal)) {
      const learned = { seq: row.progress.read.high_seq!, receivedAt: row.read_at! };
      const statements = items
        .filter(({ action }) => action === 'missing')
        .map((item) => insertBaseline(item, learned));
      await this.journal.change({ statements });
    }
    await this.change(
      row,
      { state: 'done', ended_at: this.clock.now() },
      this.knowsAll(row) ? [knowDeals(startedAt)] : [],
    );
    this.log.info({ repair: row.id, ...row.progress.counts }, 'baseline stored');
  }

  /** Whether every deal was read, and an event tells of each new one. */
  private knowsAll({ progress: { read, counts } }: RepairRow): boolean {
    const isRead = read.complete && read.incomplete_because === null && counts.unreadable === 0;
    return isRead && this.settings.copilot.events.includes('deal.created');
  }

  private async apply(row: RepairRow, signal: AbortSignal): Promise<void> {
    await this.applying.run(row, signal);
    await this.change(row, { state: 'done', ended_at: this.clock.now() });
    this.log.info({ repair: row.id, ...row.progress.applied }, 'repair applied');
  }

  private async fail(row: RepairRow, { reason, remedy }: ReadingFailed): Promise<void> {
    row.progress.problem = { reason, remedy };
    await this.change(row, { state: 'failed', ended_at: this.clock.now() });
    this.log.warn({ repair: row.id, reason }, 'repair failed');
  }

  /** Stores a new state, with the progress. */
  private async change(
    row: RepairRow,
    changes: Partial<Pick<RepairRow, 'state' | 'read_at' | 'ended_at'>>,
    more: Statement[] = [],
  ): Promise<void> {
    const progress = JSON.stringify(row.progress);
    await this.journal.change({
      statements: [update('repairs', row.id, { ...changes, progress }), ...more],
    });
    Object.assign(row, changes);
  }
}

function insertItem({ number }: RepairRow, { entity, action, version, record }: FoundItem): Statement {
  return insert('repair_items', { repair: number, entity, action, version, record });
}

/** The body of a baseline has only the record. A state that is known meanwhile stays. */
function insertBaseline(
  { entity, version, record }: FoundItem,
  { seq, receivedAt }: { seq: number; receivedAt: number },
): Statement {
  const [sql, parameters] = insert('entity_floor', {
    entity,
    seq,
    received_at: receivedAt,
    version,
    type: 'deal.updated',
    name: recordName(parseBody(record)),
    origin: 'baseline',
    body: Buffer.concat([Buffer.from('{"data":'), record, Buffer.from('}')]),
  });
  return [`${sql} ON CONFLICT DO NOTHING`, parameters];
}
