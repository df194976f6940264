import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Listeners: targets without a URL, for which a process connects. `listener` is set for these only, as JSON. */
export class Listeners0000000000014 implements MigrationInterface {
  readonly name = 'Listeners0000000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN listener TEXT');
    await runner.query('ALTER TABLE targets ADD COLUMN listener_state TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets DROP COLUMN listener');
    await runner.query('ALTER TABLE targets DROP COLUMN listener_state');
  }
}
