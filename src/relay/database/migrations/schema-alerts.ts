import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Alerts, the active ones and a bounded history. Times are ms since 1970, `data` is JSON. `told` numbers the events that
 * told of one; `told_state` and `told_count` are what the last of them said.
 */
export class Alerts1764000000000 implements MigrationInterface {
  name = 'Alerts1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE alerts(
         number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, subject TEXT NOT NULL,
         severity TEXT NOT NULL, sentence TEXT NOT NULL, remedy TEXT NOT NULL, data TEXT NOT NULL, quiet_after_ms INTEGER,
         count INTEGER NOT NULL, since INTEGER NOT NULL, last_at INTEGER NOT NULL, resolved_at INTEGER, resolution TEXT,
         told INTEGER NOT NULL, told_at INTEGER NOT NULL, told_count INTEGER NOT NULL, told_state TEXT)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE alerts');
  }
}
