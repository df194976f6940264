import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many quarantined notifications were dropped, since when, and when last: one row. */
export class RejectionDrops1764500000000 implements MigrationInterface {
  name = 'RejectionDrops1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE rejection_drops(count INTEGER NOT NULL, first_at INTEGER, last_at INTEGER)',
    );
    await runner.query('INSERT INTO rejection_drops(count) VALUES (0)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rejection_drops');
  }
}
