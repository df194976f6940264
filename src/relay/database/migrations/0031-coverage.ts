import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a baseline has made known: every deal, from the event `deals_known_from` on, as it was when the reading began, at
 * `deals_known_since` in ms since 1970. Null before the first baseline, and once states of deals are lost.
 */
export class Coverage0000000000031 implements MigrationInterface {
  readonly name = 'Coverage0000000000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE instance ADD COLUMN deals_known_from INTEGER');
    await runner.query('ALTER TABLE instance ADD COLUMN deals_known_since INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE instance DROP COLUMN deals_known_since');
    await runner.query('ALTER TABLE instance DROP COLUMN deals_known_from');
  }
}
