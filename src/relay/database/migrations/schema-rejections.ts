import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whom a quarantined notification came from. */
export class RejectionAddresses1764310000000 implements MigrationInterface {
  name = 'RejectionAddresses1764310000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rejections ADD COLUMN address TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rejections DROP COLUMN address');
  }
}
