import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { Reader } from '../database/reading/reader';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { runEach } from '../ground/run-each';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { inJsonList } from '../database/reading/dialect';
import { olderThan } from '../database/journal/older-than';
import type { AgeLimit } from '../ground/clock-corrections';

const DAY_MS = 24 * 60 * 60 * 1_000;
const INTERVAL_MS = 60 * 60 * 1_000;

/** Rows removed in one transaction. */
const BATCH = 100;

interface Kind {
  table: 'replays' | 'delivery_jobs' | 'targets' | 'target_transforms';
  /** When it ended. */
  column: string;
  /** SQL condition: not referenced. */
  unused: string;
}

const KINDS: readonly Kind[] = [
  {
    table: 'replays',
    column: 'ended_at',
    unused: 'NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.replay_id = replays.id)',
  },
  { table: 'delivery_jobs', column: 'ended_at', unused: 'TRUE' },
  {
    table: 'targets',
    column: 'deleted_at',
    unused: `NOT EXISTS (SELECT 1 FROM delivery_targets d WHERE d.target_id = targets.number)
      AND NOT EXISTS (SELECT 1 FROM deliveries d, instance WHERE d.event_seq > instance.indexed_through AND d.target_id = targets.number)`,
  },
  {
    table: 'target_transforms',
    column: 'replaced_at',
    // Its attempts were made before, with events that were received before.
    unused: '(SELECT received_at FROM events ORDER BY seq LIMIT 1) > target_transforms.replaced_at',
  },
];

/**
 * Removes ended replays, ended jobs on dead letters, deleted targets, and replaced expressions, once they are older than the retention of
 * events and no longer referenced.
 */
@Injectable()
export class UnusedRecordsWorker implements OnModuleDestroy {
  private readonly runs = new NonOverlapping(
    () => this.run(),
    (error) => this.log.error({ err: error }, 'unused records not removed'),
  );

  constructor(
    private readonly settings: Settings,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  @Interval(INTERVAL_MS)
  tick(): Promise<void> {
    return this.runs.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.runs.stop();
  }

  private async run(): Promise<void> {
    const { retentionDays } = this.settings;
    if (retentionDays === 0) return;
    const limit = this.bounds.olderThan(retentionDays * DAY_MS);
    await runEach(KINDS, (kind) => this.remove(kind, limit));
  }

  private async remove({ table, column, unused: isFree }: Kind, limit: AgeLimit): Promise<void> {
    const { sql, parameters } = olderThan(column, limit);
    const unused = { sql: `${sql} AND ${isFree}`, parameters };
    let removed = 0;
    for (let after = 0, step = BATCH; step === BATCH && !this.runs.isStopped; removed += step) {
      const found = await this.reader.all<{ number: number }>([
        `SELECT number FROM ${table} WHERE ${unused.sql} AND number > ? ORDER BY number LIMIT ?`,
        [...unused.parameters, after, BATCH],
      ]);
      step = found.length;
      after = found.at(-1)?.number ?? after;
      if (step > 0) await this.journal.change({ statements: removals(table, unused, found) });
    }
    if (removed > 0) this.log.info({ table, removed }, 'unused records removed');
  }
}

function removals(
  table: Kind['table'],
  unused: { sql: string; parameters: number[] },
  found: { number: number }[],
): Statement[] {
  const numbers = JSON.stringify(found.map(({ number }) => number));
  const among = inJsonList();
  const removal: Statement = [
    `DELETE FROM ${table} WHERE number ${among} AND ${unused.sql}`,
    [numbers, ...unused.parameters],
  ];
  return table === 'targets'
    ? [removal, [`DELETE FROM dead_letter_counts WHERE target ${among} AND count = 0`, [numbers]]]
    : [removal];
}
