import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal } from '../../database/journal';
import { Reader } from '../../database/reader';
import { TargetsService } from '../../targets/targets.service';

const OLDEST = `SELECT min(created_at) AS at FROM deliveries INDEXED BY deliveries_open
  WHERE target_id = ? AND settled_at IS NULL AND state <> 'dead'`;

/** What is due some time, and what waits: all of a lane but the one at its head. Both are read off an index alone. */
const OPEN = `
  SELECT target, sum(open) AS open FROM (
    SELECT target_id AS target, count(*) AS open FROM deliveries WHERE due_at IS NOT NULL GROUP BY target_id
    UNION ALL
    SELECT target_id, count(*) - 1 FROM deliveries WHERE lane IS NOT NULL AND settled_at IS NULL
    GROUP BY target_id, lane)
  GROUP BY target`;

/**
 * How many deliveries are open for each target, counted once and then kept by what is committed; and how many dead letters
 * stand there, which the database counts.
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

  /** Dead letters that stand at a target. */
  dead(target: number): number {
    return this.deadByTarget.get(target) ?? 0;
  }

  /** What a removed target was not sent can be sent no more: it is not counted. */
  get deadTotal(): number {
    return this.targets.all().reduce((sum, { number }) => sum + this.dead(number), 0);
  }

  /** When the oldest open delivery to any of the targets was made, in ms since 1970, or null where nothing is open. */
  async oldestAt(targets: readonly number[]): Promise<number | null> {
    const found = await Promise.all(
      targets.map((target) => this.reader.all<{ at: number | null }>([OLDEST, [target]])),
    );
    const times = found.flat().flatMap(({ at }) => at ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  private add(target: number, count: number): void {
    // What a removed target still had open was cancelled with it.
    if (this.targets.byNumber(target) !== null) this.openByTarget.set(target, this.open(target) + count);
  }
}
