import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A pause of a target can have an end. */
export class TargetPauses0000000000003 implements MigrationInterface {
  readonly name = 'TargetPauses0000000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN paused_until INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets DROP COLUMN paused_until');
  }
}
