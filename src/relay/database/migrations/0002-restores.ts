import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Backups and restores, in the row of the instance. */
export class Restores0000000000002 implements MigrationInterface {
  name = 'Restores0000000000002';

  async up(runner: QueryRunner): Promise<void> {
    // JSON: former ids, so that stored events keep theirs; see `InstanceId`.
    await runner.query(`ALTER TABLE instance ADD COLUMN restores TEXT NOT NULL DEFAULT '[]'`);
    // JSON: the latest backup; in a backup, that backup itself.
    await runner.query('ALTER TABLE instance ADD COLUMN last_backup TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE instance DROP COLUMN last_backup');
    await runner.query('ALTER TABLE instance DROP COLUMN restores');
  }
}
