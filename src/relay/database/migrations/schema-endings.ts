import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Why Switchboard disabled a target, and its open deliveries by their age: what ends without another attempt is found
 * whatever holds it up.
 */
export class Endings1764300000000 implements MigrationInterface {
  name = 'Endings1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN disabled_at INTEGER');
    await runner.query('ALTER TABLE targets ADD COLUMN disabled_reason TEXT');
    await runner.query(
      `CREATE INDEX deliveries_open ON deliveries(target_id, created_at) WHERE settled_at IS NULL AND state <> 'dead'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX deliveries_open');
    await runner.query('ALTER TABLE targets DROP COLUMN disabled_reason');
    await runner.query('ALTER TABLE targets DROP COLUMN disabled_at');
  }
}
