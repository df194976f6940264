import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The event whose payload an expression had as `$previous` at an attempt. */
export class PreviousOfAttempts0000000000030 implements MigrationInterface {
  readonly name = 'PreviousOfAttempts0000000000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attempts ADD COLUMN previous INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attempts DROP COLUMN previous');
  }
}
