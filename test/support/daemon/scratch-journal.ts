import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type {
  Committed,
  DeliveryResult,
  EventDraft,
  Journal,
  PlannedDelivery,
} from '../../../src/relay/database/journal/journal';
import { SqliteJournal } from '../../../src/relay/database/sqlite/sqlite-journal';
import { openReadingSource } from '../../../src/relay/database/sqlite/open-database';
import type { Reader } from '../../../src/relay/database/reading/reader';
import type { StoreTools } from '../../../src/relay/database/store';
import { SqliteReader } from '../../../src/relay/database/sqlite/sqlite-reader';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { FixedClock } from '../clock';
import { InlineJournal } from './inline-journal';
import { createMigratedFile } from './migrated-file';
import { versionOfBody } from '../../../src/relay/ground/record-version';
import type { Log } from '../../../src/relay/ground/log';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';

export const START = Date.parse('2026-03-02T09:30:00.000Z');

/** A journal and a reader on a database of their own, with a stopped clock, on either engine. */
export abstract class ScratchStore<Kind extends Journal = Journal> {
  /** The published result of each group, in commit order. */
  readonly groups: Committed[] = [];
  /** Every line that the journal logged. */
  readonly logged: string[] = [];
  readonly clock = new FixedClock(START);
  abstract readonly reader: Reader;
  /** How many groups events and other work form that are queued together. */
  abstract readonly groupsOfMixedWork: 1 | 2;
  private opened: Kind | null = null;

  get journal(): Kind {
    if (this.opened === null) throw new Error('The journal is closed.');
    return this.opened;
  }

  /** Closes the journal if it is open, and opens it on the same database. */
  async reopen(): Promise<void> {
    await this.close();
    const log = pino({ level: 'trace' }, { write: (line) => void this.logged.push(line) });
    this.opened = await this.openJournal(new TimeBounds(this.clock), log);
    this.opened.onCommit((committed) => this.groups.push(committed));
  }

  async close(): Promise<void> {
    const { opened } = this;
    this.opened = null;
    await opened?.close();
  }

  protected abstract openJournal(bounds: TimeBounds, log: Log): Kind | Promise<Kind>;
  /** Opens a TypeORM connection for reading, to be destroyed before the store is removed. */
  abstract openSource(entities: StoreTools['entities']): Promise<DataSource>;
  abstract remove(): Promise<void>;
  abstract rows<Row>(sql: string, ...parameters: unknown[]): Row[] | Promise<Row[]>;
  abstract count(table: string): number | Promise<number>;
  /** Runs SQL on a separate connection, to prepare rows or faults. */
  abstract exec(sql: string): void | Promise<void>;
  /** Lets changes of some rows fail, until `accept` is called. @param rows SQL about `NEW` or `OLD` */
  abstract reject(change: 'INSERT' | 'DELETE', table: string, rows: string): void | Promise<void>;
  abstract accept(table: string): void | Promise<void>;
  /** Blocks commits of events until the returned function is called. */
  abstract holdWriter(): (() => void) | Promise<() => void>;
}

/** A scratch store on SQLite, whose journal has threads only on request. */
export class ScratchJournal extends ScratchStore<SqliteJournal | InlineJournal> {
  readonly reader: SqliteReader;
  readonly groupsOfMixedWork = 1;

  private constructor(
    private readonly folder: string,
    private readonly kind: typeof SqliteJournal | typeof InlineJournal,
  ) {
    super();
    this.reader = new SqliteReader(this.file);
  }

  static async open(
    kind: typeof SqliteJournal | typeof InlineJournal = InlineJournal,
  ): Promise<ScratchJournal> {
    const scratch = new ScratchJournal(mkdtempSync(join(tmpdir(), 'switchboard-store-')), kind);
    await createMigratedFile(scratch.file);
    await scratch.reopen();
    return scratch;
  }

  get file(): string {
    return join(this.folder, 'switchboard.db');
  }

  /** With the threads that the daemon has. */
  static openWithThreads(): Promise<ScratchJournal> {
    return ScratchJournal.open(SqliteJournal);
  }

  protected openJournal(bounds: TimeBounds, log: Log) {
    return this.kind.open(this.file, this.clock, bounds, log);
  }

  openSource(entities: StoreTools['entities']): Promise<DataSource> {
    return openReadingSource(this.file, entities);
  }

  async remove(): Promise<void> {
    await this.reader.close();
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  rows<Row>(sql: string, ...parameters: unknown[]): Row[] {
    const connection = new sqliteDriver(this.file, { readonly: true });
    try {
      return connection.prepare<unknown[], Row>(sql).all(...parameters);
    } finally {
      connection.close();
    }
  }

  count(table: string): number {
    return this.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]!.count;
  }

  exec(sql: string): void {
    const connection = new sqliteDriver(this.file);
    try {
      connection.exec(sql);
    } finally {
      connection.close();
    }
  }

  reject(change: 'INSERT' | 'DELETE', table: string, rows: string): void {
    this.exec(
      `CREATE TRIGGER poison BEFORE ${change} ON ${table} WHEN ${rows} BEGIN SELECT RAISE(ABORT, 'poison'); END`,
    );
  }

  accept(_table: string): void {
    this.exec('DROP TRIGGER poison');
  }

  holdWriter(): () => void {
    if (this.journal instanceof InlineJournal) return this.journal.hold();
    const connection = new sqliteDriver(this.file);
    connection.exec('BEGIN IMMEDIATE');
    return () => {
      connection.exec('ROLLBACK');
      connection.close();
    };
  }
}

/** SQL: every identity with its event. */
export const IDENTITIES = `(SELECT minute, hash, max(seq) AS seq FROM (
  SELECT minute, hash, seq FROM identities UNION ALL SELECT minute, hash, seq FROM recent_identities
) all_identities GROUP BY minute, hash) identities_of_events`;

/** An event about `deal:<n>` with a unique body. */
export function draft(n: number, parts: Partial<EventDraft> = {}): EventDraft {
  const body = parts.body ?? Buffer.from(JSON.stringify({ event: 'deal.updated', data: { id: n } }));
  const receivedAt = parts.receivedAt ?? START;
  return {
    type: 'deal.updated',
    entity: `deal:${n}`,
    name: `Deal ${n}`,
    occurredAt: receivedAt,
    receivedAt,
    webhookId: 'wh_1',
    contentType: 'application/json',
    headers: [['content-type', 'application/json']],
    signatureHeader: 'x-signature',
    signatureValue: 'ab'.repeat(32),
    unreadable: null,
    version: versionOfBody(body),
    identity: {
      minute: Math.floor(receivedAt / 60_000),
      hash: createHash('sha256').update(String(n)).digest('hex').slice(0, 32),
    },
    ...parts,
    body,
  };
}

/** Plans a delivery to each of these targets, without a lane. */
export const to =
  (...targets: number[]) =>
  (): PlannedDelivery[] =>
    targets.map((target) => ({ target, lane: null }));

/** The result of an attempt at a live delivery. */
export function result(
  seq: number,
  target: number,
  parts: Partial<Omit<DeliveryResult, 'key'>> & { number?: number } = {},
): DeliveryResult {
  const { number = 1, ...rest } = parts;
  const attempt = {
    number,
    at: START,
    durationMs: 5,
    status: 204,
    error: null,
    excerpt: null,
    transform: null,
    previous: null,
  };
  return {
    key: { seq, target, n: 0 },
    replayId: null,
    attempt,
    state: 'succeeded',
    dueAt: null,
    lane: null,
    blocksLane: false,
    uncounted: 0,
    note: null,
    ...rest,
  };
}
