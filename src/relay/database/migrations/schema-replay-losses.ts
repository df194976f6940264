import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many events retention took from a replay before their turn. */
export class ReplayLosses1763900000000 implements MigrationInterface {
  name = 'ReplayLosses1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE replays ADD COLUMN gone INTEGER NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE replays DROP COLUMN gone');
  }
}
