import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The name of the manifest that manages a target; null if none does. */
export class Manifests0000000000016 implements MigrationInterface {
  readonly name = 'Manifests0000000000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN managed_by TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets DROP COLUMN managed_by');
  }
}
