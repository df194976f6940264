import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The newest version of Switchboard that has used the database. */
export class Versions0000000000019 implements MigrationInterface {
  readonly name = 'Versions0000000000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE instance ADD COLUMN version TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE instance DROP COLUMN version');
  }
}
