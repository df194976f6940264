import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { Rejection } from '../../contract/rejection';
import { Clock } from '../ground/clock';
import { Leadership } from '../ground/leadership';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { selectOverflow, type QuarantineEntry } from './select-overflow';
import type { ReceivedNotification } from './draft-event';
import { SharedRun } from '../ground/shared-run';
import { inJsonList } from '../database/reading/dialect';

/** Limits of the stored and of the pending entries. A single entry may exceed the bytes. */
const STORED_BOUNDS = { count: 1_000, bytes: 32 * 1024 * 1024 };
const PENDING_BOUNDS = { count: 100, bytes: 16 * 1024 * 1024 };
const WRITE_INTERVAL_MS = 1_000;

export interface RejectedNotification {
  reason: Rejection['reason'];
  address: string;
  subscriptionId: number;
  headers: [string, string][];
  body: Uint8Array;
}

/** A quarantined notification, as stored. */
export interface QuarantinedNotification extends ReceivedNotification {
  subscriptionId: number;
}

interface PendingEntry extends RejectedNotification, QuarantineEntry {
  id: string;
}

interface StoredEntry extends QuarantineEntry {
  number: number;
}

/**
 * Quarantines notifications with a known key but no valid signature. A flood of forgeries can neither fill the disk,
 * nor block the writer, nor evict earlier entries: its excess is never written, the rest once a second at most.
 */
@Injectable()
export class QuarantineStore implements OnModuleInit {
  private pending: PendingEntry[] = [];
  private pendingBytes = 0;
  private stored: StoredEntry[] = [];
  /** Entries dropped since the last write. */
  private droppedCount = 0;
  private readonly writes = new SharedRun(() => this.writePending());

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly leadership: Leadership,
    private readonly log: Log,
  ) {}

  onModuleInit(): Promise<void> {
    return this.readStored();
  }

  private async readStored(): Promise<void> {
    this.stored = await this.source.query<StoredEntry[]>(
      'SELECT number, received_at AS "receivedAt", reason, length(body) AS bytes FROM rejections ORDER BY number',
    );
  }

  add(rejected: RejectedNotification): void {
    const bytes = rejected.body.byteLength;
    const { length } = this.pending;
    if (length > 0 && (length === PENDING_BOUNDS.count || this.pendingBytes + bytes > PENDING_BOUNDS.bytes)) {
      this.droppedCount += 1;
      return;
    }
    const receivedAt = this.clock.now();
    this.pending.push({ ...rejected, id: newId('rej', receivedAt, this.random), receivedAt, bytes });
    this.pendingBytes += bytes;
  }

  @Interval(WRITE_INTERVAL_MS)
  write(): Promise<void> {
    return this.writes.run();
  }

  async find(id: string): Promise<QuarantinedNotification | null> {
    const [row] = await this.source.query<(Omit<QuarantinedNotification, 'headers'> & { headers: string })[]>(
      `SELECT received_at AS "receivedAt", subscription_id AS "subscriptionId", headers, body FROM rejections WHERE id = ?`,
      [id],
    );
    if (row === undefined) return null;
    const headers = JSON.parse(row.headers) as [string, string][];
    return { ...row, headers, body: Buffer.from(row.body) };
  }

  /** @returns whether there was such a rejection @throws RelayError `storage_failed` */
  async remove(id: string): Promise<boolean> {
    const { rows } = await this.journal.change({
      statements: [['DELETE FROM rejections WHERE id = ? RETURNING number', [id]]],
    });
    const [removed] = rows[0] as { number: number }[];
    this.stored = this.stored.filter(({ number }) => number !== removed?.number);
    return removed !== undefined;
  }

  private async writePending(): Promise<void> {
    if (this.pending.length === 0) return;
    if (this.leadership.isShared) await this.readStored().catch(() => undefined);
    const arrived = this.pending;
    const overflow = selectOverflow<PendingEntry | StoredEntry>([...this.stored, ...arrived], STORED_BOUNDS);
    const added = arrived.filter((one) => !overflow.has(one));
    const removed = this.stored.filter((one) => overflow.has(one));
    const dropped = this.droppedCount + overflow.size;
    this.pending = [];
    this.pendingBytes = 0;
    this.droppedCount = 0;
    try {
      const { rows } = await this.journal.change({
        statements: [
          ...added.map(insertStatement),
          ...(removed.length > 0 ? [deleteStatement(removed)] : []),
          ...(dropped > 0 ? [countDropsStatement(dropped, this.clock.now())] : []),
        ],
      });
      const inserted = added.map(({ receivedAt, reason, bytes }, i): StoredEntry => {
        const [row] = rows[i] as { number: number }[];
        return { number: row!.number, receivedAt, reason, bytes };
      });
      this.stored = [...this.stored.filter((one) => !overflow.has(one)), ...inserted];
      this.log.warn({ rejected: arrived.length, dropped }, 'notifications quarantined');
    } catch (error) {
      this.log.error({ err: error, rejected: arrived.length, dropped }, 'quarantine not written');
    }
  }
}

const insertStatement = ({ headers, ...rejection }: PendingEntry): Statement => [
  `INSERT INTO rejections(id, received_at, address, reason, subscription_id, headers, body)
   VALUES (@id, @receivedAt, @address, @reason, @subscriptionId, @headers, @body) RETURNING number`,
  [{ ...rejection, headers: JSON.stringify(headers) }],
];

const deleteStatement = (some: readonly StoredEntry[]): Statement => [
  `DELETE FROM rejections WHERE number ${inJsonList()}`,
  [JSON.stringify(some.map(({ number }) => number))],
];

const countDropsStatement = (droppedCount: number, now: number): Statement => [
  'UPDATE rejection_drops SET count = count + ?, first_at = coalesce(first_at, ?), last_at = ?',
  [droppedCount, now, now],
];
