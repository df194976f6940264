import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { Rejection } from '../../contract/rejection';
import { Clock } from '../ground/clock';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { selectOverflow, type QuarantineEntry } from './select-overflow';
import type { ReceivedNotification } from './draft-event';

/**
 * Bounds of what is stored, and of what is pending for the next write; a single larger one is kept anyway.
 */
const STORED_BOUNDS = { count: 1_000, bytes: 32 * 1024 * 1024 };
const PENDING_BOUNDS = { count: 100, bytes: 16 * 1024 * 1024 };
const WRITE_INTERVAL_MS = 1_000;

export interface Rejected {
  reason: Rejection['reason'];
  address: string;
  subscriptionId: number;
  headers: [string, string][];
  body: Uint8Array;
}

/** One that is kept. */
export interface Quarantined extends ReceivedNotification {
  subscriptionId: number;
}

interface PendingRejection extends Rejected, QuarantineEntry {
  id: string;
}

interface StoredRejection extends QuarantineEntry {
  number: number;
}

interface Row {
  received_at: number;
  subscription_id: number;
  headers: string;
  body: Uint8Array;
}

/**
 * Keeps notifications with a known key and no valid signature. A flood of forgeries can neither fill the
 * disk, nor block the writer, nor evict earlier entries: its excess is never written, and pending entries
 * are written at most once a second.
 */
@Injectable()
export class Quarantine implements OnModuleInit {
  private pending: PendingRejection[] = [];
  private pendingBytes = 0;
  private stored: StoredRejection[] = [];
  /** Since the last write. */
  private dropped = 0;
  private writing = false;

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    this.stored = await this.source.query<StoredRejection[]>(
      'SELECT number, received_at AS "receivedAt", reason, length(body) AS bytes FROM rejections ORDER BY number',
    );
  }

  add(rejected: Rejected): void {
    const bytes = rejected.body.byteLength;
    const { length } = this.pending;
    if (length > 0 && (length === PENDING_BOUNDS.count || this.pendingBytes + bytes > PENDING_BOUNDS.bytes)) {
      this.dropped += 1;
      return;
    }
    const receivedAt = this.clock.now();
    this.pending.push({ ...rejected, id: newId('rej', receivedAt, this.random), receivedAt, bytes });
    this.pendingBytes += bytes;
  }

  @Interval(WRITE_INTERVAL_MS)
  async write(): Promise<void> {
    if (this.writing || this.pending.length === 0) return;
    this.writing = true;
    const arrived = this.pending;
    const overflow = selectOverflow<PendingRejection | StoredRejection>(
      [...this.stored, ...arrived],
      STORED_BOUNDS,
    );
    const added = arrived.filter((one) => !overflow.has(one));
    const removed = this.stored.filter((one) => overflow.has(one));
    const dropped = this.dropped + overflow.size;
    this.pending = [];
    this.pendingBytes = 0;
    this.dropped = 0;
    try {
      const { rows } = await this.journal.change([
        ...added.map(insertion),
        ...(removed.length > 0 ? [removal(removed)] : []),
        ...(dropped > 0 ? [counting(dropped, this.clock.now())] : []),
      ]);
      const inserted = added.map(({ receivedAt, reason, bytes }, i): StoredRejection => {
        const [row] = rows[i] as { number: number }[];
        return { number: row!.number, receivedAt, reason, bytes };
      });
      this.stored = [...this.stored.filter((one) => !overflow.has(one)), ...inserted];
      this.log.warn({ rejected: arrived.length, dropped }, 'notifications quarantined');
    } catch (error) {
      this.log.error({ err: error, rejected: arrived.length, dropped }, 'quarantine not written');
    } finally {
      this.writing = false;
    }
  }

  async find(id: string): Promise<Quarantined | null> {
    const [row] = await this.source.query<Row[]>(
      'SELECT received_at, subscription_id, headers, body FROM rejections WHERE id = ?',
      [id],
    );
    if (row === undefined) return null;
    return {
      body: Buffer.from(row.body),
      headers: JSON.parse(row.headers) as [string, string][],
      receivedAt: row.received_at,
      subscriptionId: row.subscription_id,
    };
  }

  /** @throws RelayError `storage_failed` */
  async remove(id: string): Promise<void> {
    const { rows } = await this.journal.change([
      ['DELETE FROM rejections WHERE id = ? RETURNING number', [id]],
    ]);
    const [removed] = rows[0] as { number: number }[];
    this.stored = this.stored.filter(({ number }) => number !== removed?.number);
  }
}

function insertion({
  id,
  receivedAt,
  address,
  reason,
  subscriptionId,
  headers,
  body,
}: PendingRejection): Statement {
  return [
    `INSERT INTO rejections(id, received_at, address, reason, subscription_id, headers, body)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number`,
    [id, receivedAt, address, reason, subscriptionId, JSON.stringify(headers), body],
  ];
}

const removal = (some: readonly StoredRejection[]): Statement => [
  'DELETE FROM rejections WHERE number IN (SELECT value FROM json_each(?))',
  [JSON.stringify(some.map(({ number }) => number))],
];

const counting = (dropped: number, now: number): Statement => [
  'UPDATE rejection_drops SET count = count + ?, first_at = coalesce(first_at, ?), last_at = ?',
  [dropped, now, now],
];
