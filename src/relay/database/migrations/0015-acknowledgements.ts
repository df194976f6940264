import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who acknowledged an issue, and what they noted. */
export class Acknowledgements0000000000015 implements MigrationInterface {
  readonly name = 'Acknowledgements0000000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snoozes ADD COLUMN operator TEXT');
    await runner.query('ALTER TABLE snoozes ADD COLUMN note TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snoozes DROP COLUMN operator');
    await runner.query('ALTER TABLE snoozes DROP COLUMN note');
  }
}
