import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators have hidden on the Overview. */
export class Snoozes0000000000004 implements MigrationInterface {
  readonly name = 'Snoozes0000000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE snoozes(issue TEXT PRIMARY KEY, at INTEGER NOT NULL, until INTEGER) WITHOUT ROWID',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE snoozes');
  }
}
