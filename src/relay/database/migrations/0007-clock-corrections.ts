import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the clock was behind when times were stored; see `ClockCorrections`. */
export class ClockCorrections0000000000007 implements MigrationInterface {
  name = 'ClockCorrections0000000000007';

  async up(runner: QueryRunner): Promise<void> {
    // JSON; null: the clock was never set.
    await runner.query('ALTER TABLE clock ADD COLUMN corrections TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE clock DROP COLUMN corrections');
  }
}
