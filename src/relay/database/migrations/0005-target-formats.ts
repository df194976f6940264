import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The form in which each target receives events; see `TARGET_FORMATS` in the contract. */
export class TargetFormats0000000000005 implements MigrationInterface {
  name = 'TargetFormats0000000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE targets ADD COLUMN format TEXT NOT NULL DEFAULT 'json'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets DROP COLUMN format');
  }
}
