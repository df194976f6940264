import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What keeping a registration as wanted needs: what the operator wants of it, what Co-Pilot last held, what drifted. */
export class SubscriptionCare1763700000001 implements MigrationInterface {
  name = 'SubscriptionCare1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) await runner.query(`ALTER TABLE subscriptions ADD COLUMN ${column}`);
    await runner.query(
      `CREATE TABLE subscription_drift(
        id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, field TEXT NOT NULL, "before" TEXT NOT NULL,
        "after" TEXT NOT NULL, outcome TEXT NOT NULL)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE subscription_drift');
    for (const column of COLUMNS)
      await runner.query(`ALTER TABLE subscriptions DROP COLUMN ${column.split(' ', 1)[0]}`);
  }
}

const COLUMNS = [
  'remedy TEXT',
  'paused INTEGER NOT NULL DEFAULT 0',
  'held_active INTEGER',
  'address_seen INTEGER NOT NULL DEFAULT 0',
  'delete_first INTEGER NOT NULL DEFAULT 0',
];
