import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { Rejection } from '../../contract/rejection';
import { Clock } from '../ground/clock';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { beyondBounds, type Evidence } from './choose-evidence';
import type { Arrived } from './draft-event';

/** Bounds of what is kept, and of what waits for the next write; one that is larger alone is kept all the same. */
const KEPT = { count: 1_000, bytes: 32 * 1024 * 1024 };
const WAITING = { count: 100, bytes: 16 * 1024 * 1024 };
const WRITE_EVERY_MS = 1_000;

export interface Rejected {
  reason: Rejection['reason'];
  address: string;
  subscriptionId: number;
  headers: [string, string][];
  body: Uint8Array;
}

/** One that is kept. */
export interface Quarantined extends Arrived {
  subscriptionId: number;
}

interface Waiting extends Rejected, Evidence {
  id: string;
}

interface Kept extends Evidence {
  number: number;
}

interface Row {
  received_at: number;
  subscription_id: number;
  headers: string;
  body: Uint8Array;
}

/**
 * Keeps aside what came under a known key and fits no signature. A flood of forgeries may neither fill the disk, nor take
 * the writer's time, nor drop what came before it: what it has too much of is never written, and all that waits is written
 * at most once a second.
 */
@Injectable()
export class Quarantine implements OnModuleInit {
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private kept: Kept[] = [];
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
    this.kept = await this.source.query<Kept[]>(
      'SELECT number, received_at AS "receivedAt", reason, length(body) AS bytes FROM rejections ORDER BY number',
    );
  }

  add(rejected: Rejected): void {
    const bytes = rejected.body.byteLength;
    const { length } = this.waiting;
    if (length > 0 && (length === WAITING.count || this.waitingBytes + bytes > WAITING.bytes)) {
      this.dropped += 1;
      return;
    }
    const receivedAt = this.clock.now();
    this.waiting.push({ ...rejected, id: newId('rej', receivedAt, this.random), receivedAt, bytes });
    this.waitingBytes += bytes;
  }

  @Interval(WRITE_EVERY_MS)
  async write(): Promise<void> {
    if (this.writing || this.waiting.length === 0) return;
    this.writing = true;
    const arrived = this.waiting;
    const beyond = beyondBounds<Waiting | Kept>([...this.kept, ...arrived], KEPT);
    const entering = arrived.filter((one) => !beyond.has(one));
    const leaving = this.kept.filter((one) => beyond.has(one));
    const dropped = this.dropped + beyond.size;
    this.waiting = [];
    this.waitingBytes = 0;
    this.dropped = 0;
    try {
      const { rows } = await this.journal.change([
        ...entering.map(insertion),
        ...(leaving.length > 0 ? [removal(leaving)] : []),
        ...(dropped > 0 ? [counting(dropped, this.clock.now())] : []),
      ]);
      const entered = entering.map(({ receivedAt, reason, bytes }, i): Kept => {
        const [row] = rows[i] as { number: number }[];
        return { number: row!.number, receivedAt, reason, bytes };
      });
      this.kept = [...this.kept.filter((one) => !beyond.has(one)), ...entered];
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
    this.kept = this.kept.filter(({ number }) => number !== removed?.number);
  }
}

function insertion({ id, receivedAt, address, reason, subscriptionId, headers, body }: Waiting): Statement {
  return [
    `INSERT INTO rejections(id, received_at, address, reason, subscription_id, headers, body)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number`,
    [id, receivedAt, address, reason, subscriptionId, JSON.stringify(headers), body],
  ];
}

const removal = (some: readonly Kept[]): Statement => [
  'DELETE FROM rejections WHERE number IN (SELECT value FROM json_each(?))',
  [JSON.stringify(some.map(({ number }) => number))],
];

const counting = (dropped: number, now: number): Statement => [
  'UPDATE rejection_drops SET count = count + ?, first_at = coalesce(first_at, ?), last_at = ?',
  [dropped, now, now],
];
