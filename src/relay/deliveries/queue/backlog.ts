import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal } from '../../database/journal';
import { Reader } from '../../database/reader';
import { TargetsService } from '../../targets/targets.service';

const OLDEST = `SELECT min(created_at) AS at FROM deliveries INDEXED BY deliveries_open
  WHERE target_id = ? AND settled_at IS NULL AND state <> 'dead'`;

/** Scheduled deliveries, and those waiting behind the head of their lane; both counted from indexes alone. */
const OPEN = `
  SELECT target, sum(open) AS open FROM (
    SELECT target_id AS target, count(*) AS open FROM deliveries WHERE due_at IS NOT NULL GROUP BY target_id
    UNION ALL
    SELECT target_id, count(*) - 1 FROM deliveries WHERE lane IS NOT NULL AND settled_at IS NULL
    GROUP BY target_id, lane)
  GROUP BY target`;

/**
 * The number of queued deliveries per target, counted at the start and then updated by commits, and the number of dead
 * letters, which the database counts.
 */
@Injectable()
export class Backlog implements OnModuleInit {
  private readonly openByTarget = new Map<number, number>();
  private readonly deadByTarget = new Map<number, number>();

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly targets: TargetsService,
    journal: Journal,
  ) {
    targets.onChange(({ number }) => {
      if (targets.byNumber(number) === null) this.openByTarget.delete(number);
    });
    journal.onCommit(({ events, scheduled, settled, concluded, deadLetters }) => {
      for (const event of events) for (const target of event.targets) this.add(target, 1);
      for (const { target } of scheduled) this.add(target, 1);
      for (const { key, state } of settled) if (state !== 'retrying') this.add(key.target, -1);
      for (const { key, was } of concluded) if (was !== 'dead') this.add(key.target, -1);
      for (const [target, standing] of deadLetters) this.deadByTarget.set(target, standing);
    });
  }

  async onModuleInit(): Promise<void> {
    const open = await this.source.query<{ target: number; open: number }[]>(OPEN);
    for (const row of open) this.openByTarget.set(row.target, row.open);
    const dead = await this.source.query<{ target: number; standing: number }[]>(
      'SELECT target, standing FROM dead_letters',
    );
    for (const { target, standing } of dead) this.deadByTarget.set(target, standing);
  }

  open(target: number): number {
    return this.openByTarget.get(target) ?? 0;
  }

  get openTotal(): number {
    return [...this.openByTarget.values()].reduce((sum, open) => sum + open, 0);
  }

  /** The number of dead letters of a target. */
  dead(target: number): number {
    return this.deadByTarget.get(target) ?? 0;
  }

  /** Dead letters of removed targets can no longer be sent and are not counted. */
  get deadTotal(): number {
    return this.targets.all().reduce((sum, { number }) => sum + this.dead(number), 0);
  }

  /** When the oldest queued delivery of the targets was created, in ms since 1970; null if nothing is queued. */
  async oldestAt(targets: readonly number[]): Promise<number | null> {
    const found = await Promise.all(
      targets.map((target) => this.reader.all<{ at: number | null }>([OLDEST, [target]])),
    );
    const times = found.flat().flatMap(({ at }) => at ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  private add(target: number, count: number): void {
    // The queued deliveries of a removed target were cancelled with it.
    if (this.targets.byNumber(target) !== null) this.openByTarget.set(target, this.open(target) + count);
  }
}
