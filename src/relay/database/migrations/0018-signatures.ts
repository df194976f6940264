import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A further signature of deliveries, as JSON, and whether they are also signed with Ed25519. */
export class Signatures0000000000018 implements MigrationInterface {
  readonly name = 'Signatures0000000000018';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN signature TEXT');
    await runner.query('ALTER TABLE targets ADD COLUMN ed25519 INTEGER NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets DROP COLUMN signature');
    await runner.query('ALTER TABLE targets DROP COLUMN ed25519');
  }
}
