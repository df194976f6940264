import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The positions from which readers of events go on. */
export class Consumers0000000000013 implements MigrationInterface {
  readonly name = 'Consumers0000000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE consumers(
        name TEXT PRIMARY KEY,
        selection TEXT NOT NULL,       -- JSON: which events it reads
        position INTEGER NOT NULL,     -- everything up to this seq was committed
        accepted INTEGER NOT NULL,     -- removed events behind it that its reader knows about
        lease TEXT,                    -- JSON: who reads it at present
        created_by TEXT NOT NULL,      -- JSON: as the actor of the audit log
        created_at INTEGER NOT NULL,
        last_read_at INTEGER
      ) WITHOUT ROWID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE consumers');
  }
}
