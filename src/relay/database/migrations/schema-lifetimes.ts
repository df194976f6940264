import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A delivery's age counts from when it was made: what was kept to count it without the time of open breakers is not needed.
 * `deliveries.first_at` stays, unused: to drop it would write every delivery anew.
 */
export class Lifetimes1764320000000 implements MigrationInterface {
  name = 'Lifetimes1764320000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE openings');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE openings(
         target_id INTEGER NOT NULL, opened_at INTEGER NOT NULL, closed_at INTEGER NOT NULL, reason TEXT NOT NULL,
         PRIMARY KEY (target_id, opened_at)) WITHOUT ROWID`,
    );
  }
}
