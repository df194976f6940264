import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Comparisons of the deals at Co-Pilot with what is known of them, and the deals that differ. */
export class Repairs0000000000028 implements MigrationInterface {
  readonly name = 'Repairs0000000000028';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE repairs(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        purpose TEXT NOT NULL,
        state TEXT NOT NULL,
        outage_ids TEXT NOT NULL,
        requests_per_minute INTEGER NOT NULL,
        progress TEXT NOT NULL,
        read_at INTEGER,
        actions TEXT,
        target_ids TEXT,
        events_per_second INTEGER,
        created_at INTEGER NOT NULL,
        ended_at INTEGER
      )`,
    );
    await runner.query(
      `CREATE TABLE repair_items(
        repair INTEGER NOT NULL,
        entity TEXT NOT NULL,
        action TEXT NOT NULL,
        version INTEGER,
        outcome TEXT,
        event_seq INTEGER,
        record BLOB NOT NULL,
        PRIMARY KEY(repair, entity)
      ) WITHOUT ROWID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE repair_items');
    await runner.query('DROP TABLE repairs');
  }
}
