import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How a target is sent to, and what order, patience and dead letters need of a delivery. A delivery is open while it has no
 * `settled_at`; one that waits behind the head of its lane has no `due_at` either. A dead head that stops its lane stays
 * open, so that one index answers both whether a lane is taken and who comes next in it. What a delivery without a lane
 * costs is not changed by this.
 */
export class Delivery1763800000000 implements MigrationInterface {
  name = 'Delivery1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const TARGET_COLUMNS = [
  'filter TEXT',
  `policy TEXT NOT NULL DEFAULT '{}'`,
  `headers TEXT NOT NULL DEFAULT '[]'`,
  'secret_headers TEXT',
  'tls TEXT',
  'secret_before TEXT',
  'secret_before_until INTEGER',
  'breaker TEXT',
];

const DELIVERY_COLUMNS = [
  'lane TEXT',
  'class INTEGER NOT NULL DEFAULT 0',
  'spared INTEGER NOT NULL DEFAULT 0',
  'first_at INTEGER',
  'note TEXT',
];

const UP = [
  ...TARGET_COLUMNS.map((column) => `ALTER TABLE targets ADD COLUMN ${column}`),
  ...DELIVERY_COLUMNS.map((column) => `ALTER TABLE deliveries ADD COLUMN ${column}`),
  `UPDATE deliveries SET class = 1 WHERE due_at IS NOT NULL AND attempts > 0`,
  'DROP INDEX deliveries_due',
  'CREATE INDEX deliveries_due ON deliveries(target_id, class, due_at) WHERE due_at IS NOT NULL',
  // `settled_at` is always missing here; that it is there spares the look at each row for it.
  `CREATE INDEX deliveries_lane ON deliveries(target_id, lane, event_seq, n, settled_at)
     WHERE lane IS NOT NULL AND settled_at IS NULL`,
  `CREATE TABLE openings(
     target_id INTEGER NOT NULL, opened_at INTEGER NOT NULL, closed_at INTEGER NOT NULL, reason TEXT NOT NULL,
     PRIMARY KEY (target_id, opened_at)) WITHOUT ROWID`,
  `CREATE TABLE delivery_jobs(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, act TEXT NOT NULL, selection TEXT NOT NULL,
     reason TEXT, state TEXT NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL, position TEXT, until_seq INTEGER NOT NULL,
     created_at INTEGER NOT NULL, ended_at INTEGER)`,
];

const columnName = (column: string) => column.slice(0, column.indexOf(' '));

const DOWN = [
  'DROP TABLE delivery_jobs',
  'DROP TABLE openings',
  'DROP INDEX deliveries_lane',
  'DROP INDEX deliveries_due',
  'CREATE INDEX deliveries_due ON deliveries(target_id, due_at) WHERE due_at IS NOT NULL',
  ...DELIVERY_COLUMNS.map((column) => `ALTER TABLE deliveries DROP COLUMN ${columnName(column)}`),
  ...TARGET_COLUMNS.map((column) => `ALTER TABLE targets DROP COLUMN ${columnName(column)}`),
];
