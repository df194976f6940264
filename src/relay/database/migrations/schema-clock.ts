import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the daemon knew of the time when it last ran: one row. `doubts` is JSON. */
export class ClockRecord1764100000000 implements MigrationInterface {
  name = 'ClockRecord1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE clock(
         id INTEGER PRIMARY KEY CHECK (id = 1), wall_at INTEGER NOT NULL, latest_at INTEGER NOT NULL, doubts TEXT NOT NULL)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE clock');
  }
}
