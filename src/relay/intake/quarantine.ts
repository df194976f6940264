import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { Rejection } from '../../contract/rejection';
import type { Page } from '../../contract/page';
import { Clock } from '../clock';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ids';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import type { Arrived } from './draft-event';

/** Bounds of what is kept, and of what waits for the next write; one that is larger alone is kept all the same. */
const KEPT = 1_000;
const KEPT_BYTES = 32 * 1024 * 1024;
const WAITING = 100;
const WAITING_BYTES = 16 * 1024 * 1024;
const WRITE_EVERY_MS = 1_000;

type Reason = Rejection['reason'];

export interface Rejected {
  reason: Reason;
  address: string;
  subscriptionId: number;
  headers: [string, string][];
  body: Uint8Array;
}

/** One that is kept. */
export interface Quarantined extends Arrived {
  subscriptionId: number;
}

interface Row {
  number: number;
  id: string;
  received_at: number;
  reason: Reason;
  address: string | null;
  headers: string;
  body: Uint8Array;
}

const SENTENCES: Readonly<Record<Reason, string>> = {
  no_signature: 'No header carries anything that looks like a signature (64 hexadecimal digits).',
  signature_mismatch:
    'No signature in the headers fits the bytes under our secret: forged, altered on the way, or signed with another secret.',
};

/**
 * Keeps aside what came under a known key and fits no signature. A flood of forgeries may neither fill the disk nor take
 * the writer's time: the oldest is dropped first, and all that waits is written at most once a second.
 */
@Injectable()
export class Quarantine implements OnModuleInit {
  private waiting: (Rejected & { id: string; at: number })[] = [];
  private waitingBytes = 0;
  private kept: { number: number; bytes: number }[] = [];
  private dropped = 0;
  private writing = false;

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    this.kept = await this.source.query<{ number: number; bytes: number }[]>(
      'SELECT number, length(body) AS bytes FROM rejections ORDER BY number',
    );
  }

  add(rejected: Rejected): void {
    const at = this.clock.now();
    this.waiting.push({ ...rejected, id: newId('rej', at, this.random), at });
    this.waitingBytes += rejected.body.byteLength;
    while (this.waiting.length > 1 && (this.waiting.length > WAITING || this.waitingBytes > WAITING_BYTES)) {
      this.waitingBytes -= this.waiting.shift()!.body.byteLength;
      this.dropped += 1;
    }
  }

  @Interval(WRITE_EVERY_MS)
  async write(): Promise<void> {
    if (this.writing || this.waiting.length === 0) return;
    this.writing = true;
    const batch = this.waiting;
    const { dropped } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    this.dropped = 0;
    try {
      const { rows } = await this.journal.change(batch.map(insertion));
      this.kept.push(
        ...rows.map(([row], i) => ({ ...(row as { number: number }), bytes: batch[i]!.body.byteLength })),
      );
      const crowdedOut = await this.trim();
      this.log.warn({ rejected: batch.length, dropped: dropped + crowdedOut }, 'notifications quarantined');
    } catch (error) {
      this.log.error({ err: error, rejected: batch.length }, 'quarantine not written');
    } finally {
      this.writing = false;
    }
  }

  /** Newest first. */
  async list(limit: number, cursor: string | undefined): Promise<Page<Rejection>> {
    // By number: of those that came in one millisecond the ids are in no order. Behind one that was dropped is nothing.
    const before = cursor === undefined ? '' : 'WHERE number < (SELECT number FROM rejections WHERE id = ?)';
    const rows = await this.source.query<Row[]>(
      `SELECT number, id, received_at, address, reason, headers, body FROM rejections ${before} ORDER BY number DESC LIMIT ?`,
      [...(cursor === undefined ? [] : [cursor]), limit + 1],
    );
    const page = rows.slice(0, limit).map(present);
    return { data: page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  }

  async find(id: string): Promise<Quarantined | null> {
    const [row] = await this.source.query<(Row & { subscription_id: number })[]>(
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

  private async trim(): Promise<number> {
    let bytes = this.kept.reduce((sum, entry) => sum + entry.bytes, 0);
    let count = 0;
    while (this.kept.length - count > KEPT || (bytes > KEPT_BYTES && count < this.kept.length - 1)) {
      bytes -= this.kept[count]!.bytes;
      count += 1;
    }
    const last = this.kept[count - 1];
    if (last === undefined) return 0;
    await this.journal.change([['DELETE FROM rejections WHERE number <= ?', [last.number]]]);
    this.kept.splice(0, count);
    return count;
  }
}

function insertion({
  id,
  at,
  address,
  reason,
  subscriptionId,
  headers,
  body,
}: Rejected & { id: string; at: number }): Statement {
  return [
    `INSERT INTO rejections(id, received_at, address, reason, subscription_id, headers, body)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number`,
    [id, at, address, reason, subscriptionId, JSON.stringify(headers), body],
  ];
}

function present({ id, received_at, address, reason, headers, body }: Row): Rejection {
  return {
    id,
    received_at: new Date(received_at).toISOString(),
    address,
    reason,
    sentence: SENTENCES[reason],
    size_bytes: body.byteLength,
    headers: JSON.parse(headers) as [string, string][],
    body_base64: Buffer.from(body).toString('base64'),
  };
}
