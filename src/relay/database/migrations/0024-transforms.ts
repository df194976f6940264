import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The expression that makes what a target is sent, as JSON, the number of its version, and that of each attempt. */
export class Transforms0000000000024 implements MigrationInterface {
  readonly name = 'Transforms0000000000024';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN transform TEXT');
    await runner.query('ALTER TABLE targets ADD COLUMN transform_version INTEGER NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE attempts ADD COLUMN transform INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attempts DROP COLUMN transform');
    await runner.query('ALTER TABLE targets DROP COLUMN transform_version');
    await runner.query('ALTER TABLE targets DROP COLUMN transform');
  }
}
